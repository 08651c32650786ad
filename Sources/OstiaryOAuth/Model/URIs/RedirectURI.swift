#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The URI to which the authorization server redirects the user (RFC 6749 section 3.1.2, RFC 8252 section 7).
///
/// An https URL that the app claims, a private-use scheme, or http on a loopback host.
public struct RedirectURI: Sendable, Hashable, CustomStringConvertible {
    /// The URI as it was written: it is sent and compared so.
    public let description: String
    /// The URI as a URL.
    public let url: URL
    package let parts: URIParts

    /// Takes a redirect URI.
    ///
    /// - Throws: `configuration` at stage `authorization`, with a sentence that names the fix.
    public init(_ string: String) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.authorization, .configuration(sentence)) }
        let scheme = string.prefix { $0 != ":" }
        guard !scheme.contains("_") else {
            throw wrong(
                "A URL scheme has no underscore, and iOS refuses one that has: write the redirect URI with - or . instead."
            )
        }
        guard let parts = URIParts(string), let url = URL(string: string) else {
            throw wrong(
                "A redirect URI is a whole URI, such as com.example.app://callback or https://app.example.com/callback; "
                    + "a port in it is 65535 at most."
            )
        }
        guard parts.fragment == nil else { throw wrong("A redirect URI has no fragment: leave out the part after #.") }
        guard parts.authority?.userInfo == nil else { throw wrong("A redirect URI has no user name in it.") }
        guard !["javascript", "data", "file", "about", "blob", "ws", "wss", "ftp"].contains(parts.scheme) else {
            throw wrong(
                "\(parts.scheme) cannot be the scheme of a redirect URI: use https or a scheme of the app's own."
            )
        }
        if parts.scheme == "http", parts.authority?.isLoopback != true {
            throw wrong(
                "An http redirect URI is for this machine only, such as http://127.0.0.1/callback; use https elsewhere."
            )
        }
        if parts.scheme == "https", parts.authority?.host.isEmpty != false {
            throw wrong("An https redirect URI needs a host.")
        }
        description = string
        self.url = url
        self.parts = parts
    }

    /// Whether it is http on a loopback host (RFC 8252 section 7.3).
    public var isLoopback: Bool { parts.scheme == "http" && parts.authority?.isLoopback == true }

    /// Whether only a native client may register it: http on this machine, or a scheme of the app's own (OpenID Connect
    /// Registration section 2).
    var isNative: Bool { isLoopback || (parts.scheme != "https" && parts.scheme != "http") }

    /// The port that is written in it; `nil` for none, and for `0`, which stands for any that is free.
    public var port: Int? { parts.authority?.port.flatMap(Int.init).flatMap { $0 == 0 ? nil : $0 } }

    /// The same loopback URI with a port (RFC 8252 section 7.3).
    package func withPort(_ port: Int) -> RedirectURI? {
        guard isLoopback, let host = parts.authority?.host else { return nil }
        let query = parts.query.map { "?" + $0 } ?? ""
        return try? RedirectURI("http://\(host):\(port)\(parts.path.isEmpty ? "/" : parts.path)\(query)")
    }

    /// Whether a registered URI covers this one: it is the same, or differs in the port of this machine alone
    /// (RFC 8252 section 7.3).
    func isCovered(by registered: String) -> Bool {
        if registered.unicodeScalars.elementsEqual(description.unicodeScalars) { return true }
        guard isLoopback, let other = URIParts(registered), other.scheme == parts.scheme,
            let host = other.authority?.host
        else { return false }
        return other.authority?.userInfo == nil && host == parts.authority?.host && other.path == parts.path
            && other.query == parts.query && other.fragment == nil
    }

    /// Compares as written.
    public static func == (left: RedirectURI, right: RedirectURI) -> Bool { left.description == right.description }
    /// Hashes as written.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
