import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An issuer identifier, kept as it was written and compared code point by code point.
///
/// (RFC 8414 section 2, OpenID Connect Core section 2; comparison: RFC 8414 section 3.3.)
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
    /// The identifier as it was written.
    public let description: String
    /// The identifier as a URL, to build other URLs from.
    public let url: URL

    /// Takes an issuer identifier.
    ///
    /// - Parameter string: An https URL without query, fragment and user info; http on a loopback host only.
    /// - Throws: `configuration` at stage `discovery`, with a sentence that names the fix.
    public init(_ string: String) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.discovery, .configuration(sentence)) }
        guard let parts = URIParts(string), let authority = parts.authority, !authority.host.isEmpty,
            let url = URL(string: string)
        else {
            throw wrong("An issuer is a whole URL, such as https://id.example.com.")
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw wrong("An issuer has no query and no fragment: give the URL up to its path.")
        }
        guard authority.userInfo == nil else { throw wrong("An issuer has no user name and no password in its URL.") }
        guard parts.isSecureOrLoopback else {
            throw wrong("An issuer is an https URL; http is for this machine (127.0.0.1, [::1], localhost) only.")
        }
        description = string
        self.url = url
    }

    /// Compares code point by code point: Unicode's canonical equivalence does not make two issuers one.
    public static func == (left: Issuer, right: Issuer) -> Bool {
        left.description.hasSameCodePoints(as: right.description)
    }

    /// Hashes the code points.
    public func hash(into hasher: inout Hasher) {
        for scalar in description.unicodeScalars { hasher.combine(scalar) }
    }

    /// Whether the issuer is on this machine.
    var isLoopback: Bool { URIParts(description)?.isLoopback ?? false }

    /// Whether a string names this issuer, code point by code point.
    func isNamed(_ string: String) -> Bool { description.hasSameCodePoints(as: string) }
}
