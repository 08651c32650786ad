public import Ostiary

/// The session of a user at a Forge.
public struct ForgeSession: Sendable {
    private let session: Session
    private let forge: Forge

    init(_ session: Session, at forge: Forge) {
        self.session = session
        self.forge = forge
    }

    /// The granted scopes, which may be fewer than the requested ones.
    public var scopes: [Scope] { session.scopes }
    /// Whether the session has ended.
    public var hasEnded: Bool { session.end != nil }

    /// Returns an access token for Forge's API, valid until the user or the app revokes it.
    ///
    /// - Throws: `signInRequired` when the session has ended.
    public func accessToken() async throws(SignInError) -> Secret { try await session.accessToken() }

    /// Returns the user who is signed in.
    ///
    /// - Throws: `signInRequired` at stage `userinfo` when the user has revoked the token, which ends the session;
    ///   otherwise the error, and the session is kept.
    public func user() async throws(SignInError) -> ForgeUser {
        let request = ForgeUserRequest(host: forge.host, token: try await session.accessToken())
        do throws(SignInError) {
            return try await forge.transport.perform(request, in: forge.context)
        } catch {
            guard error.reason == .server(status: 401) else { throw error }
            try await session.signOut()
            throw SignInError(.userInfo, .signInRequired)
        }
    }

    /// Ends the session: here first, then at Forge, which deletes the token.
    ///
    /// - Returns: The reason the token may still be valid; `nil` when Forge has deleted it.
    /// - Throws: `storage` when the stored session could not be removed. It has not ended then.
    @discardableResult
    public func signOut() async throws(SignInError) -> SignInError? {
        guard !hasEnded else { return nil }
        let token = try await session.accessToken()
        try await session.signOut()
        do throws(SignInError) {
            try await forge.transport.perform(
                ForgeTokenDeletion(token, of: forge.client.client, secret: forge.secret, at: forge.host),
                in: forge.context
            )
            return nil
        } catch {
            return error
        }
    }
}
