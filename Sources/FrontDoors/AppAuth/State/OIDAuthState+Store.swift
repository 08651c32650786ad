public import Ostiary
import OstiaryCompatibility
import OstiaryOAuth

/// A state in a store of Ostiary's, which AppAuth does not have.
extension OIDAuthState {
    /// Binds the state to a store: from its next refresh on, all objects and processes that bind to it share the
    /// refreshes.
    ///
    /// The store gets the refresh token before it is used, and each new one before it is handed out. Archive the state
    /// as before: the archive names the sign-in, whose newest tokens are in the store. Call this after each launch.
    public func bind(to store: any SecretStore) {
        content.withLock { ($0.store, $0.line) = (store, nil) }
    }

    /// Removes the sign-in from the store that it is bound to, and revokes its refresh token where the server offers
    /// that.
    ///
    /// A state that is not bound does nothing.
    ///
    /// - Throws: An error of AppAuth's domains when the store fails; the sign-in is still there then.
    public func removeFromStore() async throws {
        let (request, known) = content.withLock { ($0.refreshRequest(nil, nil), $0) }
        guard let store = known.store, let request else { return }
        try await OIDAuthorizationService.inAppAuthsErrors { () throws(SignInError) in
            try await RefreshLine(
                request,
                continuing: known.idToken?.reveal(),
                in: store,
                account: known.signIn
            ).end()
        }
        content.withLock { $0.line = nil }
    }
}
