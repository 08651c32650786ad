public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A signed-in person's tokens: renewed at most once at a time, stored before they are handed out.
///
/// Only ``SignInClient`` makes one. It may be used from any number of tasks, and any number of processes may have one of the
/// same stored session: they take turns, and each finds what another one has renewed.
public final class Session: Sendable {
    let client: SignInClient
    let coordinator: RefreshCoordinator

    init(_ coordinator: RefreshCoordinator, of client: SignInClient) {
        self.coordinator = coordinator
        self.client = client
    }

    /// Who signed in; `nil` without `openid`.
    public var identity: IdentityToken? { coordinator.tokens.identity }
    /// What was granted.
    public var scopes: [Scope] { coordinator.tokens.scopes }
    /// When the access token expires, if the server said so.
    ///
    /// It is renewed by itself.
    public var accessTokenExpiry: Date? { coordinator.tokens.expiry }
    /// Whether an access token can be renewed without a person.
    public var isRefreshable: Bool { coordinator.tokens.refreshToken != nil }
    /// What the access token is shown with.
    public var tokenType: String { coordinator.tokens.tokenType }
    /// Why the session has ended; `nil` as long as it has not.
    public var end: SessionEnd? { coordinator.end }

    /// An access token, renewed first when it would not last.
    ///
    /// A token that lasts is read under a lock, without waiting for anything. However many callers find it too old,
    /// one request renews it, and all of them get its answer. When that fails for a reason that may pass, a caller who did
    /// not say how long the token has to last gets the one that was to be renewed, as long as it is good for five seconds.
    ///
    /// - Parameters:
    ///   - resource: The resource server that it is for (RFC 8707); the first call buys a token for it. `nil` for the
    ///     token of the sign-in itself.
    ///   - minimumValidity: How long it has to be good for at least, in seconds. Default: the client's policy.
    /// - Throws: `signInRequired` when the session has ended or cannot be renewed; otherwise what went wrong, and the
    ///   session is kept: the same call may succeed later. `retryAfter` says when, if the server is left alone till then.
    public func accessToken(
        for resource: ResourceIndicator? = nil,
        minimumValidity: Double? = nil
    ) async throws(SignInError) -> Secret {
        try await accessToken(for: AccessTokenTarget(resource), minimumValidity: minimumValidity)
    }

    /// An access token for a target, renewed first when it would not last.
    ///
    /// Each target has a token of its own; the first call buys one. All of them are bought with the one refresh token, so
    /// requests for two targets go one after the other. A token that lasts less long than was asked for is handed out all
    /// the same when the server gives no better one.
    ///
    /// - Parameters:
    ///   - target: What the token is for.
    ///   - minimumValidity: How long it has to be good for at least, in seconds. Default: the client's policy.
    /// - Throws: As ``accessToken(for:minimumValidity:)``.
    public func accessToken(
        for target: AccessTokenTarget,
        minimumValidity: Double? = nil
    ) async throws(SignInError) -> Secret {
        let validity = minimumValidity.map(TokenValidity.atLeast) ?? .usually(client.policy.minimumValidity)
        if let token = try coordinator.freshToken(for: target, lasting: validity) { return token }
        return try token(among: try await coordinator.tokens(for: target, meeting: .lasting(validity)), for: target)
    }

    /// An access token other than one that a server has refused.
    ///
    /// However many requests were refused with the same token, one refresh renews it; when another task or process has
    /// renewed it meanwhile, nothing is sent.
    ///
    /// - Parameters:
    ///   - target: What the token is for.
    ///   - refused: The token that is of no use any more, however long it would last.
    /// - Throws: As ``accessToken(for:minimumValidity:)``.
    public func accessToken(
        for target: AccessTokenTarget = .signIn,
        insteadOf refused: Secret
    ) async throws(SignInError) -> Secret {
        try token(among: try await coordinator.tokens(for: target, meeting: .other(than: refused)), for: target)
    }

    /// Renews the access token now, whether or not it would last.
    ///
    /// It is not held back when the server asked to be left alone. A token that another process renewed since this one
    /// last looked is taken over instead.
    ///
    /// - Throws: As ``accessToken(for:minimumValidity:)``.
    public func refresh() async throws(SignInError) {
        let known = coordinator.tokens.accessToken
        _ = try await coordinator.tokens(for: .signIn, meeting: .other(than: known))
    }

    private func token(among tokens: TokenSet, for target: AccessTokenTarget) throws(SignInError) -> Secret {
        guard let token = tokens.access(for: target) else { throw .sessionOver }
        return token.value
    }

    /// Claims about the person, from the server, compared with who signed in.
    ///
    /// - Throws: At stage `userinfo`; the session is kept.
    public func userInfo() async throws(SignInError) -> UserInfo {
        _ = try await accessToken()
        let server = try await client.directory.server()
        let request = try UserInfoRequest(coordinator.tokens, client: client.client, server: server)
        let response = try await client.transport.perform(request, in: client.context)
        let keys = try await client.directory.keys(for: response.signature)
        return try client.recording(.userInfo) { (verdict) throws(SignInError) in
            try response.validated(by: keys, now: client.context.clock.now, recording: &verdict)
        }
    }
}

extension Session: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; no token.
    public var description: String { "Session(\(client.issuer), \(client.client.id))" }
    /// No token.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": client.issuer.description, "client": client.client.id])
    }
}
