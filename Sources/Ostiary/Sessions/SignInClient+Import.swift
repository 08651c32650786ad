public import OstiaryOAuth

extension SignInClient {
    /// Continues a session that another SDK stored, so that the user need not sign in again after the SDK was changed.
    ///
    /// The refresh token is stored first. Then one refresh is made with it, which is journaled like any other and whose
    /// response passes every check of a refresh. Remove the other SDK's item only after this returns: where refresh
    /// tokens rotate, its token is invalid by then. If a session is stored already, it is returned: an app may call
    /// this at every start, also after one without a network.
    ///
    /// - Throws: `mismatch(.issuer)`, `mismatch(.client)` or `mismatch(.subject)` when the stored session is of another
    ///   issuer, client or user; `refused(.invalidGrant)` at stage `refresh` when the session has ended and the user
    ///   must sign in; `storage` when nothing can be stored, and then nothing is sent; otherwise the errors of a
    ///   refresh, and the next call continues from there.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) -> Session {
        if let session = try await restoreSession() { return try await proven(session, to: imported) }
        // The stored values are compared with the configuration before the token is presented.
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
        // Another one may import it at the same time: its refresh has used up what is kept here, and what it stored
        // counts.
        let stored = try await vault.putIfAbsent(StoredSession(tokens, using: &random))
        return try await proven(try session(stored: stored), to: imported)
    }

    /// Continues a session from its refresh token.
    ///
    /// - Parameters:
    ///   - refreshToken: The token that the same issuer issued to the same client.
    ///   - scopes: The granted scopes, used when the server names none.
    ///   - subject: The user's identifier; `nil` accepts the server's.
    /// - Returns: The session, validated by a refresh and already stored.
    /// - Throws: As ``adopt(_:)``.
    public func adopt(
        refreshToken: Secret,
        scopes: [Scope] = [],
        subject: String? = nil
    ) async throws(SignInError) -> Session {
        try await adopt(ImportedSession(refreshToken: refreshToken, scopes: scopes, subject: subject))
    }

    /// Returns a session whose refresh token the issuer has accepted; a session of another user is ended.
    private func proven(_ session: Session, to imported: ImportedSession) async throws(SignInError) -> Session {
        guard session.tokens.isImported else { return session }
        do throws(SignInError) {
            _ = try await session.accessToken(minimumValidity: .zero)
        } catch {
            if imported.subject != nil, error.reason == .mismatch(.subject) {
                try await session.signOut(.revoke)
            }
            throw error
        }
        return session
    }
}
