public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A verified session in the words of the vendor's document: the tokens as they were at one moment.
///
/// Read a token with `reveal()`: printing, dumping or reflecting shows none.
public struct LogiSession: Sendable, Hashable {
    /// The person at this app.
    public let sub: String
    /// The person's address, with scope `email`.
    public let email: String?
    /// The ID token; it has passed every check.
    public let idToken: Secret
    /// The access token; `LogiAuth.refresh()` renews it.
    public let accessToken: Secret
    /// The refresh token; `nil` when the server gave none.
    public let refreshToken: Secret?
    /// When the access token expires, counted from when it was asked for.
    public let expiresAt: Date?
    /// What was granted.
    public let scope: String?
    /// How the access token is shown.
    public let tokenType: String
    /// What the ID token tells of the account.
    public let claims: LogiClaims

    /// Takes a session's tokens as they are.
    ///
    /// - Throws: `mismatch(.idToken)` without an ID token, `malformed` for a claim of the wrong type.
    public init(_ session: Session) throws(SignInError) {
        let tokens = session.tokens
        guard let identity = tokens.identity else { throw SignInError(.identity, .mismatch(.idToken)) }
        claims = try LogiClaims(identity.claims)
        sub = claims.sub
        email = claims.email
        idToken = identity.compact
        accessToken = tokens.accessToken
        refreshToken = tokens.refreshToken
        expiresAt = tokens.expiry
        scope = tokens.scopes.isEmpty ? nil : tokens.scopes.text
        tokenType = tokens.tokenType
    }
}

extension LogiSession: CustomStringConvertible, CustomReflectable {
    /// Nothing of the person and no token.
    public var description: String { "LogiSession" }
    /// Nothing of the person and no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
