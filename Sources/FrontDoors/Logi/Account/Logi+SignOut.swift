import HTTPTypes
public import Ostiary

extension Logi {
    /// What a sign-out ends.
    public enum SignOut: Sendable {
        /// The session: here at once, and at the server with its tokens, as far as that can be reached.
        case revokingTokens
        /// The app's connection with the account: at the server first, and here only when that was done.
        case disconnecting(LogiAccessKey)
    }

    /// Ends a session.
    ///
    /// There is no page to end the browser's own session: the provider documents none.
    ///
    /// - Returns: What the server said; with ``SignOut/revokingTokens`` the session has ended here in any case.
    /// - Throws: `storage` when the session could not be removed, and what ``disconnect(with:)`` throws; it has not ended
    ///   then.
    @discardableResult
    public func signOut(
        _ session: Session,
        _ policy: SignOut = .revokingTokens
    ) async throws(SignInError) -> SignOutReport {
        if case .disconnecting(let key) = policy { try await disconnect(with: key) }
        return try await session.signOut()
    }

    /// Ends this app's connection with the account: its grants, tokens, keys and what the person allowed.
    ///
    /// The server tells the app's backend of it, too (back-channel logout).
    ///
    /// - Parameter key: A device's key with `profile:write`.
    /// - Throws: At stage `revocation` when it was not done; nothing is removed here then. An app that is not connected
    ///   counts as done.
    public func disconnect(with key: LogiAccessKey) async throws(SignInError) {
        // One path segment, whatever is in it.
        let path = "/api/v1/me/connected_apps/" + FormURLEncoding.escape(configuration.clientID)
        let answer = try await call(path, method: .delete, bearer: key.value, at: .revocation)
        guard answer.status.kind == .successful || answer.status == .notFound else { throw answer.failure }
    }
}
