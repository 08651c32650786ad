import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Remembers that a client knows a login, if the client is to hear of its end.
    ///
    /// A grant does not tell: it may have expired before the login ends.
    func remember(_ client: RegisteredClient, in session: String) async throws {
        guard client.backChannelLogout != nil || client.frontChannelLogout != nil else { return }
        try await storage.put(
            ProviderRecord(
                kind: .sessionClient,
                key: SecretDigest(Self.sessionClient(session, client.id)).text,
                session: session,
                value: ["client_id": .string(client.id)],
                expires: now.addingTimeInterval(lifetimes.loginSession.inSeconds)
            )
        )
    }

    /// A login and one of its clients, as one text.
    static func sessionClient(_ session: String, _ clientID: String) -> String {
        FormURLEncoding.encode(Parameters(["sid": session, .clientID: clientID]))
    }

    /// Remembers the clients of a login as long as the login, which begins anew.
    func renewClients(of session: String) async throws {
        for record in try await storage.records(.sessionClient) where record.session == session {
            var renewed = record
            renewed.expires = now.addingTimeInterval(lifetimes.loginSession.inSeconds)
            try await storage.put(renewed)
        }
    }

    /// The clients that are to hear of a login's end.
    func clients(of session: String) async throws -> [RegisteredClient] {
        var clients: [RegisteredClient] = []
        for record in try await storage.records(.sessionClient)
        where record.session == session && record.expires.map({ $0 > now }) ?? true {
            guard let id = record.value["client_id"]?.string, let client = try await client(id) else { continue }
            clients.append(client)
        }
        return clients
    }

    /// Ends a login and the grants that belong to it, and notifies its clients by the back channel.
    ///
    /// Grants with `offline_access` stay: the user allowed them for the time of being away (OpenID Connect Back-Channel
    /// Logout section 2.7).
    ///
    /// - Returns: The clients of the login, for a page to notify by the front channel.
    func endLogin(_ session: String, of subject: String) async throws -> [RegisteredClient] {
        let clients = try await clients(of: session)
        let pending = pendingLogouts(of: clients, session, subject)
        // Kept first: a provider that ends here delivers them when it starts again.
        if !pending.isEmpty { try await storage.put(pending.map(\.record)) }
        do { try await storage.remove(.session(session)) } catch {
            // The login goes on, so no client receives a token for its end.
            for logout in pending { try? await storage.remove(.key(.pendingLogout, logout.id)) }
            throw error
        }
        for logout in pending { await deliverInBackground(logout) }
        return clients
    }

    /// Ends every login of a user, in whichever browser, and notifies the clients by the back channel.
    ///
    /// - Parameter subject: The user's `sub`.
    /// - Returns: The number of logins that have ended.
    /// - Throws: ``ProviderStorageFailure``; some logins may have ended.
    @discardableResult
    public func endLogins(of subject: String) async throws -> Int {
        let logins = try await storage.records(.loginSession).compactMap(LoginSession.init)
        let ids = Set(logins.filter { $0.subject.utf8.elementsEqual(subject.utf8) }.map(\.id))
        for id in ids { _ = try await endLogin(id, of: subject) }
        return ids.count
    }
}
