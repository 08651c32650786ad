public import OstiaryOAuth
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A signed-in person's tokens: renewed at most once at a time, stored before they are handed out.
///
/// Only ``SignInClient`` makes one. It may be used from any number of tasks.
public final class Session: Sendable {
    let client: SignInClient
    private let state: Mutex<State>
    private let refreshes: RefreshCoordinator
    let forcedRefreshes = ForcedRefreshes()

    struct State {
        var tokens: TokenSet
        /// Whether the store has these tokens.
        var isSaved: Bool
        var end: SessionEnd?
    }

    init(_ tokens: TokenSet, of client: SignInClient) {
        self.client = client
        state = Mutex(State(tokens: tokens, isSaved: true, end: nil))
        refreshes = RefreshCoordinator()
    }

    /// Who signed in; `nil` without `openid`.
    public var identity: IdentityToken? { current.tokens.identity }
    /// What was granted.
    public var scopes: [Scope] { current.tokens.scopes }
    /// When the access token expires, if the server said so.
    ///
    /// It is renewed by itself.
    public var accessTokenExpiry: Date? { current.tokens.expiry }
    /// Whether an access token can be renewed without a person.
    public var isRefreshable: Bool { current.tokens.refreshToken != nil }
    /// What the access token is shown with.
    public var tokenType: String { current.tokens.tokenType }
    /// Why the session has ended; `nil` as long as it has not.
    public var end: SessionEnd? { current.end }

    /// An access token, renewed first when it would not last.
    ///
    /// A token that lasts is read under a lock, without waiting for anything. However many callers find it too old,
    /// one request renews it, and all of them get its answer.
    ///
    /// - Parameters:
    ///   - resource: The resource server that it is for (RFC 8707); the first call buys a token for it. `nil` for the
    ///     token of the sign-in itself.
    ///   - minimumValidity: How long it has to be good for at least, in seconds. Default: the client's policy.
    /// - Throws: `signInRequired` when the session has ended or cannot be renewed; otherwise what went wrong, and the
    ///   session is kept: the same call may succeed later.
    public func accessToken(
        for resource: ResourceIndicator? = nil,
        minimumValidity: Double? = nil
    ) async throws(SignInError) -> Secret {
        try await accessToken(for: AccessTokenTarget(resource), minimumValidity: minimumValidity)
    }

    /// An access token for a target, renewed first when it would not last.
    ///
    /// Each target has a token of its own; the first call buys one. All of them are bought with the one refresh token, so
    /// requests for two targets go one after the other.
    ///
    /// - Parameters:
    ///   - target: What the token is for.
    ///   - minimumValidity: How long it has to be good for at least, in seconds. Default: the client's policy.
    /// - Throws: As ``accessToken(for:minimumValidity:)``.
    public func accessToken(
        for target: AccessTokenTarget,
        minimumValidity: Double? = nil
    ) async throws(SignInError) -> Secret {
        let margin = minimumValidity ?? client.policy.minimumValidity
        if let token = try freshToken(for: target, lasting: margin) { return token }
        let tokens = try await refreshes.tokens(of: self, for: target, lasting: margin)
        guard let token = tokens.access(for: target) else { throw Self.signInRequired }
        return token.value
    }

    /// Renews the access token now, whether or not it would last.
    ///
    /// - Throws: As ``accessToken(for:minimumValidity:)``.
    public func refresh() async throws(SignInError) {
        if current.end != nil { throw Self.signInRequired }
        _ = try await refreshes.tokens(of: self, for: .signIn, lasting: nil)
    }

    /// Renews the access token of a target now.
    func renew(_ target: AccessTokenTarget) async throws(SignInError) {
        if current.end != nil { throw Self.signInRequired }
        _ = try await refreshes.tokens(of: self, for: target, lasting: nil)
    }

    /// Claims about the person, from the server, compared with who signed in.
    ///
    /// - Throws: At stage `userinfo`; the session is kept.
    public func userInfo() async throws(SignInError) -> UserInfo {
        _ = try await accessToken()
        let server = try await client.directory.server()
        let request = try UserInfoRequest(current.tokens, client: client.client, server: server)
        let response = try await client.transport.perform(request, in: client.context)
        let keys = try await client.directory.keys(for: response.signature)
        return try client.recording(.userInfo) { (verdict) throws(SignInError) in
            try response.validated(by: keys, now: client.context.clock.now, recording: &verdict)
        }
    }

    /// The state as it is now.
    var current: State { state.withLock { $0 } }

    /// The token for a target, when it need not be renewed and is stored.
    func freshToken(for target: AccessTokenTarget, lasting margin: Double) throws(SignInError) -> Secret? {
        let now = client.context.clock.now
        let (token, hasEnded): (Secret?, Bool) = state.withLock { state in
            guard state.end == nil else { return (nil, true) }
            guard state.isSaved, let token = state.tokens.access(for: target), token.isFresh(at: now, for: margin)
            else { return (nil, false) }
            return (token.value, false)
        }
        if hasEnded { throw Self.signInRequired }
        return token
    }

    /// Takes new tokens, unless the session ended while they were on their way: sign-out beats refresh.
    func take(_ tokens: TokenSet) -> Bool {
        state.withLock { state in
            guard state.end == nil else { return false }
            state.tokens = tokens
            state.isSaved = false
            return true
        }
    }

    /// Stores the tokens; they are handed out only after that, so that a crash cannot lose what was used.
    ///
    /// - Throws: `storage`; the tokens stay in memory, and the next call tries again.
    func save() async throws(SignInError) {
        let tokens = current.tokens
        let bytes = try StoredSession(tokens).bytes()
        do throws(StorageFailure) {
            try await client.store.write(bytes, for: client.storeKey)
        } catch {
            state.withLock { $0.isSaved = false }
            throw SignInError(.storage, .storage(error))
        }
        state.withLock { state in
            if state.tokens == tokens { state.isSaved = true }
        }
    }

    /// Ends the session here.
    func finish(_ end: SessionEnd) {
        let isNew = state.withLock { state in
            defer { if state.end == nil { state.end = end } }
            return state.end == nil
        }
        if isNew { client.events(.ended(end)) }
    }

    private static let signInRequired = SignInError(.refresh, .signInRequired)
}

extension Session: CustomStringConvertible, CustomReflectable {
    /// The issuer and the client; no token.
    public var description: String { "Session(\(client.issuer), \(client.client.id))" }
    /// No token.
    public var customMirror: Mirror {
        Mirror(self, children: ["issuer": client.issuer.description, "client": client.client.id])
    }
}
