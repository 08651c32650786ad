import HTTPTypes
public import Ostiary

extension Logi {
    /// The scope of a sign-out.
    public enum SignOut: Sendable {
        /// The session: here at once, and at the server with its tokens, as far as that can be reached.
        case revokingTokens
        /// The app's connection with the account: at the server first, and here only when that was done.
        case disconnecting(LogiAccessKey)
    }

    /// Ends a session.
    ///
    /// The browser's own session remains: the provider documents no page to end it.
    ///
    /// - Returns: The server's response; with ``SignOut/revokingTokens`` the session has ended here in any case.
    /// - Throws: `storage` when the session could not be removed; the errors of ``disconnect(with:)``. The session has
    ///   then not ended.
    @discardableResult
    public func signOut(
        _ session: Session,
        _ policy: SignOut = .revokingTokens
    ) async throws(SignInError) -> SignOutReport {
        if case .disconnecting(let key) = policy { try await disconnect(with: key) }
        return try await session.signOut()
    }

    /// Ends this app's connection with the account: its grants, tokens, keys and the user's consent.
    ///
    /// The server also notifies the app's backend (back-channel logout).
    ///
    /// - Parameter key: A device's key with `profile:write`.
    /// - Throws: An error at stage `revocation` when the connection was not ended; nothing is then removed here. An app
    ///   that is not connected counts as success.
    public func disconnect(with key: LogiAccessKey) async throws(SignInError) {
        // One path segment, whatever is in it.
        let path = "/api/v1/me/connected_apps/" + FormURLEncoding.escape(configuration.clientID)
        let answer = try await call(path, method: .delete, bearer: key.value, at: .revocation)
        guard answer.status.kind == .successful || answer.status == .notFound else { throw answer.failure }
    }
}
