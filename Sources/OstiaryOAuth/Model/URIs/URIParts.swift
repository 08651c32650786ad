#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The parts of a URI as they are written (RFC 3986 appendix B), without decoding or normalization.
///
/// A URL type that normalizes would compare its own output, and security requires comparing the strings themselves.
package struct URIParts: Sendable, Hashable {
    package struct Authority: Sendable, Hashable {
        package var userInfo: String?
        package var host: String
        /// The digits after the colon; empty when there are none.
        package var port: String?
    }

    package var scheme: String
    package var authority: Authority?
    package var path: String
    package var query: String?
    package var fragment: String?

    package init?(_ url: URL) { self.init(url.absoluteString) }

    package init?(_ string: String) {
        guard string.utf8.count <= 65_536, string.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let colon = string.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        scheme = String(string[..<colon]).lowercased()
        guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isOfScheme) else {
            return nil
        }
        // The text is ASCII, where a byte is a character.
        var rest = string.utf8[string.utf8.index(after: colon)...]
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(Substring(rest[rest.index(after: hash)...]))
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let authority = Authority(Substring(rest[..<end])) else { return nil }
            self.authority = authority
            rest = rest[end...]
        }
        path = String(Substring(rest))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    /// RFC 3986 section 3.1, in lower case.
    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// Whether a request to it is either encrypted or stays on this machine.
    package var isSecureOrLoopback: Bool {
        guard let authority else { return false }
        return scheme == "https" && !authority.host.isEmpty || scheme == "http" && authority.isLoopback
    }

    /// Whether a request to it stays on this machine.
    package var isLoopback: Bool { authority?.isLoopback ?? false }

    /// Whether both name the same scheme, host and port.
    package func isSameOrigin(as other: URIParts) -> Bool {
        scheme == other.scheme && authority?.host == other.authority?.host && effectivePort == other.effectivePort
    }

    /// The port, with the scheme's own when none is written.
    package var effectivePort: Int? {
        if let port = authority?.port, !port.isEmpty { return Int(port) }
        return scheme == "https" ? 443 : scheme == "http" ? 80 : nil
    }
}

extension URIParts.Authority {
    fileprivate init?(_ text: Substring) {
        var rest = text
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            userInfo = String(rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        if rest.utf8.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: "]") else { return nil }
            host = rest[...close].lowercased()
            guard IPv6Address.isWellFormed(host.dropFirst().dropLast()) else { return nil }
            rest = rest[rest.index(after: close)...]
        } else {
            let end = rest.utf8.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            host = rest[..<end].lowercased()
            guard host.utf8.allSatisfy(Self.isOfName) else { return nil }
            rest = rest[end...]
        }
        if rest.isEmpty { return }
        guard rest.hasPrefix(":"), rest.dropFirst().allSatisfy({ ("0"..."9").contains($0) }), rest.count <= 6 else {
            return nil
        }
        port = String(rest.dropFirst())
        // A port has 16 bits (RFC 9293 section 3.1), so no program listens at a greater number.
        guard (port.flatMap(Int.init) ?? 0) <= 65_535 else { return nil }
    }

    /// A registered name without escapes (RFC 3986 section 3.2.2), in lower case.
    ///
    /// Parsers that do not decode an escaped host see another host; browsers take the text after a backslash for a
    /// path.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~!$&'()*+,;=".utf8.contains(byte)
        }
    }

    /// Whether the host is this machine (RFC 8252 section 7.3).
    package var isLoopback: Bool { host == "127.0.0.1" || host == "[::1]" || host == "localhost" }
}
