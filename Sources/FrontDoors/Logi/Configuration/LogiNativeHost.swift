import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The host on which the provider's own app is tried before the browser.
public struct LogiNativeHost: Sendable, Hashable, CustomStringConvertible {
    /// The host's name.
    public let description: String

    /// Chooses the host: the one named; the vendor's for exactly the vendor's issuer; the issuer's own otherwise.
    ///
    /// - Throws: `configuration` when the name is more than a host.
    init(explicit: String?, issuer: Issuer) throws(SignInError) {
        if let explicit, !explicit.isEmpty {
            guard explicit.utf8.allSatisfy(Self.isOfName) else {
                throw SignInError(
                    .authorization,
                    .configuration(
                        "The native host is a host's name alone, such as open.1pass.dev: no scheme, port or path."
                    )
                )
            }
            description = explicit
        } else if Self.isStock(issuer) {
            description = LogiPreset.nativeAuthorizeHost
        } else {
            description = issuer.url.host(percentEncoded: true) ?? ""
        }
    }

    /// Returns the same URL on this host: all parts but the host stay the same, octet by octet.
    ///
    /// - Returns: `nil` for a URL that is not https: no other URL reaches an app.
    public func rewriting(_ url: URL) -> URL? {
        guard let parts = HostSplitURL(url.absoluteString), parts.scheme == "https" else { return nil }
        return URL(string: parts.replacingHost(with: description))
    }

    /// Exactly https, the vendor's host and its own port; nothing else about it is known to be claimed by the app.
    private static func isStock(_ issuer: Issuer) -> Bool {
        let text = issuer.description.lowercased()
        return [LogiPreset.issuer, LogiPreset.issuer + "/", LogiPreset.issuer + ":443", LogiPreset.issuer + ":443/"]
            .contains { $0.utf8.elementsEqual(text.utf8) }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.".utf8.contains(byte)
    }
}

/// A URL's text, cut before and behind its host; nothing is decoded.
struct HostSplitURL: Sendable, Hashable {
    let scheme: String
    /// Everything before the host.
    let before: String
    let host: String
    /// Everything behind the host.
    let after: String

    /// - Returns: `nil` without `://` and a host, with user information, and with anything but printable ASCII, which
    ///   two readers might read in two ways.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\\") }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let start = colon + 3
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let authority = bytes[start..<end]
        guard !authority.contains(UInt8(ascii: "@")) else { return nil }
        let hostEnd: Int
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = close + 1
        } else {
            hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        }
        guard hostEnd > start else { return nil }
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        scheme = string(0..<colon).lowercased()
        before = string(0..<start)
        host = string(start..<hostEnd)
        after = string(hostEnd..<bytes.endIndex)
    }

    func replacingHost(with host: String) -> String { before + host + after }

    /// Whether two differ in nothing but the host.
    func isTwin(of other: HostSplitURL) -> Bool {
        before.utf8.elementsEqual(other.before.utf8) && after.utf8.elementsEqual(other.after.utf8)
    }

    /// The text between the question mark and the fragment; `nil` without a question mark.
    var query: Substring? {
        let whole = after.prefix { $0 != "#" }
        guard let mark = whole.firstIndex(of: "?") else { return nil }
        return whole[whole.index(after: mark)...]
    }
}
