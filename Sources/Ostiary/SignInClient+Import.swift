public import OstiaryOAuth

extension SignInClient {
    /// Continues a session that another SDK kept, so that nobody has to sign in again after the SDK was changed.
    ///
    /// One refresh is made of it, and its answer passes every check that a refresh has to pass; the session is stored when
    /// this returns. Only then remove what the other SDK kept: where refresh tokens rotate, it is worth nothing by then.
    /// When a session is stored already it is returned, and nothing is sent: an app may call this at every start.
    ///
    /// - Throws: `mismatch(.issuer)`, `mismatch(.client)` or `mismatch(.subject)` when what was kept is of another issuer,
    ///   client or person; `refused(.invalidGrant)` at stage `refresh` when the session is over: a person has to sign in;
    ///   `storage` when nothing could be stored. A store that cannot be written is found out before the refresh token is
    ///   used; what another failure left is stored by the next call.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) -> Session {
        if let session = try await storedOrUnsaved() { return session }
        // What was kept is compared with what is configured before it is shown to anybody.
        guard imported.issuer.map({ $0.utf8.elementsEqual(issuer.description.utf8) }) ?? true else {
            throw SignInError(.refresh, .mismatch(.issuer))
        }
        guard imported.clientID.map({ $0.utf8.elementsEqual(client.id.utf8) }) ?? true else {
            throw SignInError(.refresh, .mismatch(.client))
        }
        try await checkStore()
        let grant = try RefreshGrant(
            importing: imported.refreshToken,
            from: issuer,
            for: client,
            scopes: imported.scopes
        )
        let tokens = try await redeem(TokenExchange(grant, client: client, server: try await directory.server()))
        if let subject = imported.subject, let identity = tokens.identity,
            !identity.subject.utf8.elementsEqual(subject.utf8)
        {
            _ = await revoke(tokens)
            throw SignInError(.identity, .mismatch(.subject))
        }
        let session = Session(tokens, of: self)
        sessions.add(session)
        // Unlike the tokens of a sign-in, these are the only way on: they stay in memory when they cannot be stored.
        try await session.save()
        events(.restored)
        return session
    }

    /// Continues a session of which the app has the refresh token.
    ///
    /// - Parameters:
    ///   - refreshToken: As the same issuer gave it to the same client.
    ///   - scopes: What was granted, where the server does not say.
    ///   - subject: Who signed in; `nil` accepts whom the server names.
    /// - Throws: As ``adopt(_:)``.
    public func adopt(
        refreshToken: Secret,
        scopes: [Scope] = [],
        subject: String? = nil
    ) async throws(SignInError) -> Session {
        try await adopt(ImportedSession(refreshToken: refreshToken, scopes: scopes, subject: subject))
    }

    /// What is there already: a stored session, or one that an earlier call could not store.
    private func storedOrUnsaved() async throws(SignInError) -> Session? {
        if let session = sessions.newest {
            if !session.current.isSaved { try await session.save() }
            return session
        }
        return try await restoreSession()
    }

    /// Finds out whether a session could be stored.
    private func checkStore() async throws(SignInError) {
        let key = StoreKey.adoption(issuer: issuer, clientID: client.id, account: account)
        do throws(StorageFailure) {
            try await store.write([], for: key)
            try await store.remove(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }
}
