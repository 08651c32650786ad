public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A validated session in the terms of the vendor's document: the tokens at one moment.
///
/// Read a token with `reveal()`: printing, dumping or reflecting the session gives none.
public struct LogiSession: Sendable, Hashable {
    /// The user's identifier at this app.
    public let sub: String
    /// The user's address, with scope `email`.
    public let email: String?
    /// The ID token; it has passed every check.
    public let idToken: Secret
    /// The access token; `LogiAuth.refresh()` renews it.
    public let accessToken: Secret
    /// The refresh token; `nil` when the server issued none.
    public let refreshToken: Secret?
    /// The access token's expiry, counted from the time of the request.
    public let expiresAt: Date?
    /// The granted scopes.
    public let scope: String?
    /// The authorization scheme that the access token is presented with.
    public let tokenType: String
    /// The account claims of the ID token.
    public let claims: LogiClaims

    /// Takes a session's tokens.
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
    /// The type's name alone; no data about the user and no token.
    public var description: String { "LogiSession" }
    /// No data about the user and no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
