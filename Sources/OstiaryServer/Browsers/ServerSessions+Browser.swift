import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sessions of browsers, and the list of a user's sessions.
extension ServerSessions {
    /// The session of a browser's handle; `nil` for none, and for the handle of an app, which must prove its key.
    func browserSession(of handle: Secret) async throws(StorageFailure) -> ServerSession? {
        try await browserSession(id(of: handle.reveal()))
    }

    /// The session of a browser by the digest of its handle.
    func browserSession(_ id: StoreDigest) async throws(StorageFailure) -> ServerSession? {
        let now = clock.now()
        guard let record = try await unlessRetired(store.session(id, now: now)) else { return nil }
        // Opening the seal proves that this service wrote the subject and the times, and that no key is required.
        _ = try content(of: record)
        guard NamedCheck.holds("browser.keyless", record.keyThumbprint == nil) else { return nil }
        return ServerSession(record: await used(record, at: now))
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

    /// Whether this client began a session: another client's sessions do not open here.
    fileprivate func isOwn(_ record: ServerSessionRecord) -> Bool {
        (try? content(of: record)) != nil
    }
}

/// The sessions of one user.
extension BrowserSignIn {
    /// The largest number of sessions in a list.
    private static let longestList = 100

    private func client(of record: ServerSessionRecord) -> ServerSessions? { clients.first { $0.isOwn(record) } }

    /// The sessions of a session's user that one of the clients began, the newest first, at most 100.
    func listed(like session: ServerSession) async throws(StorageFailure) -> [ServerSession] {
        let found = try await store.sessions(
            issuer: session.issuer,
            subject: session.subject,
            // Sessions of clients that are unknown here do not count.
            limit: 10 * Self.longestList,
            now: sessions.clock.now()
        )
        return found.filter { client(of: $0) != nil }.prefix(Self.longestList).map { ServerSession(record: $0) }
    }

    /// Ends one session of a session's user.
    ///
    /// - Returns: Whether the user has such a session.
    func end(named name: String, like session: ServerSession) async throws(StorageFailure) -> Bool {
        guard let id = (try? Base64URL.decode(name)).flatMap({ StoreDigest(bytes: $0) }),
            let record = try await sessions.store.session(id, now: sessions.clock.now()),
            record.issuer.utf8.elementsEqual(session.issuer.utf8),
            record.subject.utf8.elementsEqual(session.subject.utf8),
            let client = client(of: record)
        else { return false }
        try await client.end(ServerSession(record: record))
        return true
    }

    /// Ends every session of a session's user in the store, and revokes the user's tokens.
    func endAll(like session: ServerSession) async throws(StorageFailure) {
        try await ServerSessions.endAll(
            of: session.subject,
            at: sessions.keys.issuer,
            in: sessions.store,
            revokingTokensOf: clients,
            revocations: revocations
        )
    }
}
