import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The subject token or the actor token of a token exchange (RFC 8693 section 2.1).
///
/// Having one proves that this provider issued the token and that it is valid now.
struct ExchangedToken: Sendable {
    var subject: String
    /// The client that it was issued to.
    var clientID: String
    /// The scopes of the token.
    ///
    /// An ID token identifies a user and gives access to nothing but that identity.
    var scopes: [Scope]
    /// The grant that it belongs to; `nil` for an ID token.
    var grant: IssuedGrant?
    var authenticated: Date
    /// The `acr` of the authentication.
    var context: String
    var session: String?
    /// The thumbprint of the key that it is bound to (RFC 9449 section 5); `nil` for none.
    var keyThumbprint: String?
    /// The current actor of the token.
    var actor: JSONObject?
    var expires: Date
}

extension Provider {
    /// Reads a token that a client presents; `nil` when it is unknown, too old, revoked, or not of the given type.
    func exchangedToken(_ secret: String, _ type: TokenType) async throws -> ExchangedToken? {
        switch type {
        case .accessToken, .jwt: try await exchangedAccessToken(secret)
        case .idToken: try await exchangedIDToken(secret)
        case .refreshToken: nil
        }
    }

    private func exchangedAccessToken(_ secret: String) async throws -> ExchangedToken? {
        guard let (token, grant, claims) = try await activeAccessToken(secret) else { return nil }
        return ExchangedToken(
            subject: grant.subject,
            clientID: token.clientID,
            scopes: token.scopes,
            grant: grant,
            authenticated: grant.authenticated,
            context: grant.context,
            session: grant.session,
            keyThumbprint: token.keyThumbprint,
            actor: claims["act"]?.object,
            expires: token.expires
        )
    }

    private func exchangedIDToken(_ secret: String) async throws -> ExchangedToken? {
        // Signed user info is a JWT of the same key, and has no `exp`.
        guard let claims = try await hintedClaims(secret), let expires = claims["exp"]?.number,
            expires > now.timeIntervalSince1970, let subject = claims["sub"]?.string,
            let clientID = claims["aud"]?.string, let session = claims["sid"]?.string,
            let authenticated = claims["auth_time"]?.number, user(subject: subject) != nil
        else { return nil }
        return ExchangedToken(
            subject: subject,
            clientID: clientID,
            scopes: [.openID],
            authenticated: Date(timeIntervalSince1970: authenticated),
            context: claims["acr"]?.string ?? Self.passwordContext,
            session: session,
            expires: Date(timeIntervalSince1970: expires)
        )
    }
}
