public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sessions of browsers, and the list of a user's sessions.
extension ServerSessions {
    /// The session of a browser's handle; `nil` for none, and for the handle of an app, which has to prove its key.
    func browserSession(of handle: Secret) async throws(StorageFailure) -> ServerSession? {
        let now = clock.now()
        guard let record = try await unlessRetired(store.session(id(of: handle.reveal()), now: now)) else { return nil }
        // Whose it is, and that no key is asked for, is as this service has written it.
        _ = try sealing.open(record.sealed, for: place(of: record))
        guard NamedCheck.holds("browser.keyless", record.keyThumbprint == nil) else { return nil }
        return ServerSession(record: await used(record, at: now))
    }

    /// The claims about a session's user: those of the UserInfo response of the sign-in, and of the newest ID token, whose claims
    /// replace others of the same name.
    ///
    /// - Throws: `corrupted` when the session cannot be opened.
    public func claims(of session: ServerSession) throws(StorageFailure) -> JSONObject {
        var claims = try userInfo(of: session.record) ?? [:]
        for member in try open(session.record).identity?.claims.members ?? [] { claims[member.name] = member.value }
        return claims
    }

    /// The URL at which the issuer ends the user's session there; `nil` for an issuer without such a page.
    ///
    /// (OpenID Connect RP-Initiated Logout section 2)
    func endSessionURL(of session: ServerSession, returningTo uri: RedirectURI?) async -> URL? {
        guard let tokens = try? open(session.record), let server = try? await server() else { return nil }
        var random = SystemRandomNumberGenerator()
        return try? PendingEndSession(
            identity: tokens.identity,
            client: client,
            server: server,
            redirectURI: uri,
            using: &random
        ).url
    }

    /// The sessions of a session's user that this client began, the newest first, at most 100.
    func list(like session: ServerSession, in store: any SessionListStore) async throws(StorageFailure)
        -> [ServerSession]
    {
        try await store.sessions(
            issuer: session.issuer,
            subject: session.subject,
            limit: 100,
            now: clock.now()
        )
        // What another client of the issuer began does not open here.
        .filter { (try? sealing.open($0.sealed, for: place(of: $0))) != nil }.map { ServerSession(record: $0) }
    }

    /// Ends every session of a session's user in the store, and revokes the refresh tokens of this client's.
    func endAll(like session: ServerSession) async throws(StorageFailure) {
        let ended = try await store.removeSessions(
            issuer: session.issuer,
            subject: session.subject,
            sessionID: nil
        )
        for record in ended { revokeLater(record) }
    }
}
