public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Issues a token for a user, as a management API does for an impersonation.
    ///
    /// - Parameters:
    ///   - subject: The `sub` of the user.
    ///   - clientID: The client that exchanges the token.
    /// - Returns: A subject token for an exchange (RFC 8693 section 2.1), valid for ten minutes.
    /// - Throws: ``ProviderStorageFailure``.
    public func subjectToken(for subject: String, clientID: String) async throws -> Secret {
        let grant = IssuedGrant(
            id: random.identifier(),
            clientID: clientID,
            subject: subject,
            scopes: configuration.scopes.map(\.scope),
            authenticated: now,
            session: random.identifier(),
            expires: now.addingTimeInterval(600)
        )
        try await storage.put(grant.record)
        let (token, _) = try await accessToken(grant, scopes: grant.scopes, expires: grant.expires, TokenTarget())
        let issued = IssuedToken(grant: grant.id, clientID: clientID, scopes: grant.scopes, expires: grant.expires)
        try await storage.put(issued.record(.accessToken, secret: token))
        return Secret(token)
    }
}
