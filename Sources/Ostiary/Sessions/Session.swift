import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A signed-in user's tokens: refreshed by one request at a time, and stored before a caller gets them.
///
/// Only ``SignInClient`` makes one. It may be used from any number of tasks. Any number of processes may use the same
/// stored session: they take turns, and each finds the tokens that another one has refreshed.
public final class Session: Sendable {
    let client: SignInClient
    let coordinator: RefreshCoordinator
    /// Converted once, since every call for a token reads it.
    private let usualValidity: TokenValidity

    init(_ coordinator: RefreshCoordinator, of client: SignInClient) {
        self.coordinator = coordinator
        self.client = client
        usualValidity = .usually(client.policy.minimumValidity.inSeconds)
    }

    /// The ID token of the user; `nil` without `openid`.
    public var identity: IDToken? { coordinator.tokens.identity }
    /// Members of the token response that no specification names, such as a user's identifier at a server without ID
    /// tokens.
    public var additionalMembers: TokenSet.AdditionalMembers { coordinator.tokens.additionalMembers }
    /// The granted scopes.
    public var scopes: [Scope] { coordinator.tokens.scopes }
    /// The access token's expiry, if the server stated one.
    ///
    /// The session refreshes the token automatically.
    public var accessTokenExpiry: Date? { coordinator.tokens.expiry }
    /// Whether an access token can be refreshed without the user.
    public var isRefreshable: Bool { coordinator.tokens.refreshToken != nil }
    /// The authorization scheme that the access token is presented with.
    public var tokenType: String { coordinator.tokens.tokenType }
    /// The reason the session ended; `nil` while it is active.
    public var end: Session.End? { coordinator.end }

    /// Returns a valid access token, refreshing it first if it is about to expire.
    ///
    /// A valid token is read under a lock, without waiting. Concurrent callers share one refresh and its outcome. When
    /// the refresh fails for a temporary reason, a caller without `minimumValidity` gets the current token if that is
    /// valid for five more seconds.
    ///
    /// - Parameters:
    ///   - resource: The resource server that it is for (RFC 8707); the first call requests a token for it. `nil` for
    ///     the token of the sign-in itself.
    ///   - minimumValidity: The minimum remaining validity. Default: the client's policy.
    /// - Returns: The access token.
    /// - Throws: `signInRequired` when the session has ended, or cannot be refreshed: the message then names the
    ///   reason, as ``renewal`` does. Otherwise the error, and the session is kept: the same call may succeed later.
    ///   `retryAfter` is the time to wait, if the server requested one or a back-off is in progress.
    public func accessToken(
        for resource: ResourceIndicator? = nil,
        minimumValidity: Duration? = nil
    ) async throws(SignInError) -> Secret {
        try await accessToken(for: AccessTokenTarget(resource), minimumValidity: minimumValidity)
    }

    /// Returns a valid access token for a target, refreshing it first if it is about to expire.
    ///
    /// Each target has a token of its own, which the first call requests. All of them are requested with the one
    /// refresh token, so that requests for two targets follow each other. A token with a shorter validity than required
    /// is returned if the server issues no better one.
    ///
    /// - Parameters:
    ///   - target: The target of the token.
    ///   - minimumValidity: The minimum remaining validity. Default: the client's policy.
    /// - Returns: The access token.
    /// - Throws: As `accessToken(for:minimumValidity:)`.
    public func accessToken(
        for target: AccessTokenTarget,
        minimumValidity: Duration? = nil
    ) async throws(SignInError) -> Secret {
        let validity = minimumValidity.map { .atLeast($0.inSeconds) } ?? usualValidity
        let target = coordinator.resolved(target)
        if let token = try coordinator.freshToken(for: target, lasting: validity) { return token }
        let tokens = try await coordinator.tokens(for: target, meeting: .lasting(validity))
        await client.settle(after: tokens)
        return try token(among: tokens, for: target)
    }

    /// Returns an access token other than one that a server has rejected.
    ///
    /// All requests that were rejected with the same token share one refresh; when another task or process has
    /// refreshed it meanwhile, nothing is sent.
    ///
    /// - Parameters:
    ///   - target: The target of the token.
    ///   - refused: The rejected token, whatever its expiry.
    /// - Returns: An access token other than the rejected one.
    /// - Throws: As `accessToken(for:minimumValidity:)`.
    public func accessToken(
        for target: AccessTokenTarget = .signIn,
        insteadOf refused: Secret
    ) async throws(SignInError) -> Secret {
        let target = coordinator.resolved(target)
        let tokens = try await coordinator.tokens(for: target, meeting: .other(than: refused))
        await client.settle(after: tokens)
        return try token(among: tokens, for: target)
    }

    /// Refreshes the access token now, even if it is still valid.
    ///
    /// A back-off of the server does not delay it. A token that another process has refreshed since the last read is
    /// taken over instead.
    ///
    /// - Returns: The new access token, whatever its lifetime.
    /// - Throws: As `accessToken(for:minimumValidity:)`.
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

    /// Returns claims about the user from the server, after checking that their subject is the user who signed in.
    ///
    /// A server may reject an access token before it expires. The token is then refreshed, and the request sent once
    /// more.
    ///
    /// - Throws: `signInRequired` at stage `userinfo` when the access token is rejected and the session cannot be
    ///   refreshed; the errors of the refresh; otherwise the error at stage `userinfo`. The session is kept, unless the
    ///   server rejects its refresh token.
    public func userInfo() async throws(SignInError) -> UserInfo {
        let token = try await accessToken()
        do throws(SignInError) {
            return try await requestedUserInfo()
        } catch {
            guard error.refusesAccessToken else { throw error }
            guard isRefreshable else {
                throw .notRenewable(coordinator.tokens, at: .userInfo, requestID: error.requestID)
            }
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

extension Session {
    /// The current state of the session.
    public var state: Session.State { coordinator.observers.state }

    /// The current state of the session and each later one, until the session has ended.
    ///
    /// Each call returns a sequence of its own. A slow consumer gets only the newest state, and always the end.
    public var states: AsyncStream<Session.State> { coordinator.observers.states() }
}

extension Session {
    /// The current tokens, for an app that passes one on.
    ///
    /// The next refresh replaces them, so do not store them; call `accessToken(for:minimumValidity:)` for each
    /// request. A refresh token that another party uses ends this session where refresh tokens rotate.
    public var tokens: TokenSet { coordinator.tokens }
}

extension Session {
    /// Returns the expiry of the token for a resource (RFC 8707).
    ///
    /// - Parameter resource: `nil` for the token of the sign-in itself.
    /// - Returns: `nil` when the server named no lifetime, and when no token for the resource was requested yet.
    public func accessTokenExpiry(for resource: ResourceIndicator?) -> Date? {
        accessTokenExpiry(for: AccessTokenTarget(resource))
    }

    /// Returns the expiry of the token for a target.
    ///
    /// - Returns: `nil` when the server named no lifetime, and when no token for the target was requested yet.
    public func accessTokenExpiry(for target: AccessTokenTarget) -> Date? {
        coordinator.tokens.access(for: target)?.expiry
    }

    /// Returns the scopes of the token for a target; the requested ones when the server named none (RFC 6749 section
    /// 5.1).
    ///
    /// - Returns: `nil` when no token for the target was requested yet.
    public func scopes(of target: AccessTokenTarget) -> [Scope]? { coordinator.tokens.access(for: target)?.scopes }
}
