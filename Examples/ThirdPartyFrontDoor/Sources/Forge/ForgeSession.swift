public import Ostiary

/// A person who is signed in at a Forge.
public struct ForgeSession: Sendable {
    private let session: Session
    private let forge: Forge

    init(_ session: Session, at forge: Forge) {
        self.session = session
        self.forge = forge
    }

    /// What was granted, which may be less than what was asked for.
    public var scopes: [Scope] { session.scopes }
    /// Whether the session has ended.
    public var hasEnded: Bool { session.end != nil }

    /// An access token for Forge's API; it lasts until somebody withdraws it.
    ///
    /// - Throws: `signInRequired` when the session has ended.
    public func accessToken() async throws(SignInError) -> Secret { try await session.accessToken() }

    /// Who is signed in.
    ///
    /// - Throws: `signInRequired` at stage `userinfo` when the person has withdrawn the token, which ends the session;
    ///   otherwise what went wrong, and the session is kept.
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

    /// Ends the session: here first, and then at Forge, where the token is deleted.
    ///
    /// - Returns: Why the token may still be good; `nil` when Forge has deleted it.
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
