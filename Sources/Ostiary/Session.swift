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
    /// Members of the token response that no specification names, such as a user's identifier at a server without ID tokens.
    public var additionalMembers: AdditionalMembers { coordinator.tokens.additionalMembers }
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
        let target = coordinator.tokens.isOfSignIn(target) ? .signIn : target
        if let token = try coordinator.freshToken(for: target, lasting: validity) { return token }
        let tokens = try await coordinator.tokens(for: target, meeting: .lasting(validity))
        await client.settle(after: tokens)
        return try token(among: tokens, for: target)
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
        let target = coordinator.tokens.isOfSignIn(target) ? .signIn : target
        let tokens = try await coordinator.tokens(for: target, meeting: .other(than: refused))
        await client.settle(after: tokens)
        return try token(among: tokens, for: target)
    }

    /// Renews the access token now, whether or not it would last.
    ///
    /// It is not held back when the server asked to be left alone. A token that another process renewed since this one
    /// last looked is taken over instead.
    ///
    /// - Returns: The new access token, however long it lasts.
    /// - Throws: As ``accessToken(for:minimumValidity:)``.
    @discardableResult
    public func refresh() async throws(SignInError) -> Secret {
        let known = coordinator.tokens.accessToken
        let tokens = try await coordinator.tokens(for: .signIn, meeting: .other(than: known))
        await client.settle(after: tokens)
        return tokens.accessToken
    }

    private func token(among tokens: TokenSet, for target: AccessTokenTarget) throws(SignInError) -> Secret {
        guard let token = tokens.access(for: target) else { throw .sessionOver }
        return token.value
    }

    /// Claims about the user, from the server, compared with who signed in.
    ///
    /// A server may refuse an access token before it expires. It is then renewed, and the request sent once more.
    ///
    /// - Throws: `signInRequired` at stage `userinfo` when the access token is refused and the session cannot be renewed;
    ///   what the refresh throws; otherwise what went wrong at stage `userinfo`. The session is kept, unless the server refuses
    ///   its refresh token.
    public func userInfo() async throws(SignInError) -> UserInfo {
        let token = try await accessToken()
        do throws(SignInError) {
            return try await requestedUserInfo()
        } catch {
            guard error.refusesAccessToken else { throw error }
            guard isRefreshable else { throw SignInError(.userInfo, .signInRequired, requestID: error.requestID) }
            guard try await renewed(token, for: .signIn) != nil else { throw error }
            return try await requestedUserInfo()
        }
    }

    private func requestedUserInfo() async throws(SignInError) -> UserInfo {
        let server = try await client.directory.server(with: .userInfo)
        let tokens = coordinator.tokens
        let request = try UserInfoRequest(tokens, client: client.client, server: server)
        let response = try await client.transport.perform(request, in: client.context)
        coordinator.forcedRefreshes.forget(tokens.accessToken, for: .signIn)
        let keys = try await client.directory.keys(for: response.signature)
        await client.directory.learned?.save()
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

extension SignInError {
    /// Whether a resource server wants another access token (RFC 6750 section 3.1).
    fileprivate var refusesAccessToken: Bool {
        switch reason {
        case .refused(let error): error.code == .invalidToken
        case .server(let status): status == 401
        default: false
        }
    }
}
