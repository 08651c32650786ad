public import OstiaryOAuth

extension SignInClient {
    /// Continues a session that another SDK kept, so that nobody has to sign in again after the SDK was changed.
    ///
    /// The refresh token is stored first, and then one refresh is made with it, which is journaled as any other and whose
    /// answer passes every check that a refresh has to pass. Only when this returns remove what the other SDK kept: where
    /// refresh tokens rotate, it is worth nothing by then. When a session is stored already it is returned: an app may call
    /// this at every start, also after one without a network.
    ///
    /// - Throws: `mismatch(.issuer)`, `mismatch(.client)` or `mismatch(.subject)` when what was kept is of another issuer,
    ///   client or person; `refused(.invalidGrant)` at stage `refresh` when the session is over: a person has to sign in;
    ///   `storage` when nothing can be stored, and then nothing is sent; otherwise what a refresh throws, and the next call
    ///   goes on from there.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) -> Session {
        if let session = try await restoreSession() { return try await proven(session, to: imported) }
        // What was kept is compared with what is configured before it is shown to anybody.
        guard imported.issuer.map({ $0.utf8.elementsEqual(issuer.description.utf8) }) ?? true else {
            throw SignInError(.refresh, .mismatch(.issuer))
        }
        guard imported.clientID.map({ $0.utf8.elementsEqual(client.id.utf8) }) ?? true else {
            throw SignInError(.refresh, .mismatch(.client))
        }
        let tokens = try TokenSet(
            importing: imported.refreshToken,
            from: issuer,
            for: client,
            scopes: imported.scopes,
            claimedIdentity: imported.claimedIdentity
        )
        var random = random()
        // Another one may import it at the same time: its refresh has used up what is kept here, and what it stored counts.
        let stored = try await vault.putIfAbsent(StoredSession(tokens, using: &random))
        return try await proven(try session(stored: stored), to: imported)
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

    /// A session whose refresh token the issuer has taken; one of somebody else is ended.
    private func proven(_ session: Session, to imported: ImportedSession) async throws(SignInError) -> Session {
        guard session.tokens.isImported else { return session }
        do throws(SignInError) {
            _ = try await session.accessToken(minimumValidity: 0)
        } catch {
            if imported.subject != nil, error.reason == .mismatch(.subject) {
                try await session.signOut(.revoke)
            }
            throw error
        }
        return session
    }
}
