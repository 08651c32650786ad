#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tokens that every check of their grant has passed.
///
/// Only ``TokenResponse/validated(by:now:requested:)`` makes one.
public struct TokenSet: Sendable, Hashable {
    /// Who issued them.
    public let issuer: Issuer
    /// To which client.
    public let clientID: String
    /// What a resource server is shown (RFC 6750).
    public let accessToken: Secret
    /// What new tokens are bought with; `nil` when the server gave none.
    public let refreshToken: Secret?
    /// What was granted; what was asked for when the server did not say (RFC 6749 section 5.1).
    public let scopes: [Scope]
    /// When the access token expires, counted from when it was asked for; `nil` when the server did not say.
    public let expiry: Date?
    /// Who signed in; `nil` without `openid`.
    public let identity: IdentityToken?

    /// The type that the access token is shown with.
    public var tokenType: String { "Bearer" }

    /// Whether the access token is good for some more time.
    ///
    /// - Parameter margin: Seconds, 0 or more.
    public func isFresh(at now: Date, for margin: Double) -> Bool {
        expiry.map { now.addingTimeInterval(margin) < $0 } ?? true
    }
}

extension TokenSet: CustomStringConvertible, CustomReflectable {
    /// The issuer, the client and the expiry; no token.
    public var description: String { "TokenSet(\(issuer), \(clientID))" }
    /// No token.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": issuer.description, "client": clientID, "scopes": scopes.text])
    }
}
