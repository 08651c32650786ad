public import Ostiary
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sign in with logi, in the calls of the vendor's document, over ``Logi``.
///
///     LogiAuth.configure(LogiAuthConfig(clientId: "logi_…", redirectURI: redirectURI))
///     let session = try await LogiAuth.signIn()
///
/// The static calls share one configuration of the process; an instance has its own.
public final class LogiAuth: Sendable {
    /// The instance that the static calls use.
    public static let shared = LogiAuth()

    private struct State {
        var door: Result<Logi, LogiAuthError>?
        var session: Session?
        var last: LogiSession?
    }

    private let state = Lock(State())

    /// Makes one that is not configured.
    public init() {}

    /// Sets a configuration, which applies at once.
    ///
    /// An invalid one makes the calls that need it throw ``LogiAuthError/invalidConfiguration(_:)``.
    ///
    /// - Parameters:
    ///   - config: The app's registration.
    ///   - platform: The dependencies. Default: those of the machine.
    public func configure(_ config: LogiAuthConfig, on platform: LogiAuthPlatform = .current) {
        let door: Result<Logi, LogiAuthError>
        do throws(LogiAuthError) { door = .success(try platform.door(config)) } catch { door = .failure(error) }
        state.withLock { $0 = State(door: door) }
    }

    /// The session of the last sign-in or refresh; `nil` before, and after a sign-out.
    public var lastSession: LogiSession? { state.withLock { $0.last } }

    /// The app in which the user signs in: the provider's app or a browser; `nil` without a sign-in.
    public var handoffKind: LogiFlow.Leg? {
        guard let leg = (try? door())?.currentFlow?.leg else { return nil }
        return leg == .starting ? nil : leg
    }

    /// Signs the user in.
    ///
    /// - Parameter scopes: The requested scopes; `nil` for the configuration's.
    /// - Returns: The session.
    /// - Throws: The error; an earlier session is kept. `idTokenInvalid(code: "malformed")` also when the account
    ///   claims contradict each other: the session is then revoked and removed, and no user is signed in.
    @discardableResult
    public func signIn(scopes: [String]? = nil) async throws(LogiAuthError) -> LogiSession {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> LogiSession in
            try await self.keepOrEnd(try await logi.signIn(scopes: scopes?.map { Scope(rawValue: $0) }), of: logi)
        }
    }

    /// Finishes a sign-in that was in progress when the app was ended, with the URL that the app was opened with.
    ///
    /// It needs ``LogiAuthConfig/pendingLifetime``.
    ///
    /// - Returns: `nil` when nothing waited for this URL.
    /// - Throws: As `signIn(scopes:)`.
    public func resume(from url: URL) async throws(LogiAuthError) -> LogiSession? {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> LogiSession? in
            guard let session = try await logi.resumeSignIn(from: url) else { return nil }
            return try await self.keepOrEnd(session, of: logi)
        }
    }

    /// Returns a valid access token, refreshing it first if it is about to expire.
    ///
    /// - Throws: ``LogiAuthError/noRefreshToken`` when no user is signed in; otherwise as `refresh()`.
    public func accessToken() async throws(LogiAuthError) -> Secret {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> Secret in
            guard let session = try await self.session(of: logi) else { throw SignInError(.refresh, .signInRequired) }
            do throws(SignInError) {
                return try await session.accessToken()
            } catch {
                if session.end != nil { self.forget(session) }
                throw error
            }
        }
    }

    /// Continues a session that the vendor's SDK or the app itself kept, so that the user need not sign in again.
    ///
    /// Remove the item that held the token after this returns: where refresh tokens rotate, it is invalid by then.
    ///
    /// - Returns: The session, already stored; the stored one where there is one.
    /// - Throws: As `SignInClient.adopt(_:)`.
    @discardableResult
    public func adopt(refreshToken: Secret) async throws(LogiAuthError) -> LogiSession {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> LogiSession in
            try self.keep(try await logi.adopt(refreshToken: refreshToken))
        }
    }

    /// Presents a page of the app's own backend, and returns the response that the backend requested.
    ///
    /// - Parameters:
    ///   - startURL: For a browser.
    ///   - nativeStartURL: The same on the host that the provider's app claims; `nil` uses the browser only.
    /// - Returns: The response.
    /// - Throws: The fault of the pair, before anything is opened; otherwise the error of the sign-in.
    public func authorize(startURL: URL, nativeStartURL: URL? = nil) async throws(LogiAuthError) -> LogiCallback {
        let logi = try door()
        let start: LogiStartURL
        do throws(LogiStartURL.Problem) {
            start = try LogiStartURL(startURL, native: nativeStartURL)
        } catch {
            switch error {
            case .invalidURL: throw .invalidAuthorizeURL
            case .missingState: throw .missingStateInStartURL
            case .pairMismatch: throw .startURLPairMismatch
            }
        }
        return try await told(logi) { () async throws(SignInError) -> LogiCallback in try await logi.authorize(start) }
    }

    /// Handles a URL that opened the app.
    ///
    /// - Returns: Whether the URL is the response to the sign-in in progress; `false` also before `configure`.
    @discardableResult
    public func handle(_ url: URL) -> Bool { (try? door())?.handle(url) ?? false }

    /// Ends the sign-in that is in progress.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func cancel() -> Bool {
        guard let logi = try? door(), let flow = logi.currentFlow else { return false }
        return logi.cancel(flow)
    }

    /// Ends a sign-in that the user has left in the provider's app: call it when the app has come to the front.
    @discardableResult
    public func cancelAbandonedHandoff() async -> Bool { await (try? door())?.cancelAbandonedHandoff() ?? false }

    /// Refreshes the tokens now; concurrent calls send one request.
    ///
    /// - Throws: ``LogiAuthError/noRefreshToken`` when no user is signed in; `invalid_grant` ends the session, any
    ///   other error keeps it.
    @discardableResult
    public func refresh() async throws(LogiAuthError) -> LogiSession {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> LogiSession in
            guard let session = try await self.session(of: logi) else { throw SignInError(.refresh, .signInRequired) }
            do throws(SignInError) {
                try await session.refresh()
            } catch {
                if session.end != nil { self.forget(session) }
                throw error
            }
            return try self.keep(session)
        }
    }

    /// Ends the session: here at once, and at the server as far as it can be reached.
    ///
    /// - Throws: ``LogiAuthError/storageFailed(_:)`` when it could not be removed.
    public func signOut() async throws(LogiAuthError) {
        let logi = try door()
        try await told(logi) { () async throws(SignInError) -> Void in
            guard let session = try await self.session(of: logi) else { return }
            try await logi.signOut(session)
            self.forget(session)
        }
    }

    /// Returns the refresh token, for an app that passes it to its own backend; using one token in two programs ends
    /// the session.
    ///
    /// - Returns: `nil` when no user is signed in.
    public func currentRefreshToken() async throws(LogiAuthError) -> Secret? {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> Secret? in
            let session = try await self.session(of: logi)
            return session?.end == nil ? session?.tokens.refreshToken : nil
        }
    }

    /// Ends this app's connection with the account, and then the session.
    ///
    /// - Parameter pak: A device's key with `profile:write`.
    /// - Returns: Whether the server did it; nothing is removed here otherwise.
    public func disconnectApp(pak: Secret) async -> Bool {
        guard let logi = try? door() else { return false }
        do {
            let key = LogiAccessKey(pak)
            guard let session = try await session(of: logi) else {
                try await logi.disconnect(with: key)
                return true
            }
            try await logi.signOut(session, .disconnecting(key))
            forget(session)
            return true
        } catch {
            return false
        }
    }

    /// Returns the front door, for features that the vendor's document lacks.
    ///
    /// - Throws: ``LogiAuthError/notConfigured`` or ``LogiAuthError/invalidConfiguration(_:)``.
    public func door() throws(LogiAuthError) -> Logi {
        switch state.withLock({ $0.door }) {
        case .success(let logi): return logi
        case .failure(let error): throw error
        case nil: throw .notConfigured
        }
    }

    /// The session that all calls share.
    private func session(of logi: Logi) async throws(SignInError) -> Session? {
        if let session = state.withLock({ $0.session }) { return session }
        let restored = try await logi.restoreSession()
        return state.withLock { state in
            if state.session == nil { state.session = restored }
            return state.session
        }
    }

    private func keep(_ session: Session) throws(SignInError) -> LogiSession {
        let snapshot = try LogiSession(session)
        state.withLock { state in
            state.session = session
            if session.end == nil { state.last = snapshot }
        }
        return snapshot
    }

    /// Keeps a new session, or ends it when nothing says whose data the user may see.
    private func keepOrEnd(_ session: Session, of logi: Logi) async throws(SignInError) -> LogiSession {
        do throws(SignInError) {
            return try keep(session)
        } catch {
            try await logi.signOut(session)
            state.withLock { state in
                state.session = nil
                state.last = nil
            }
            throw error
        }
    }

    private func forget(_ session: Session) {
        state.withLock { state in
            guard state.session === session else { return }
            state.session = nil
            state.last = nil
        }
    }

    private func told<T>(
        _ logi: Logi,
        _ body: () async throws(SignInError) -> T
    ) async throws(LogiAuthError) -> T {
        do throws(SignInError) {
            return try await body()
        } catch {
            if error.stage == .authorization, case .configuration = error.reason, logi.flows.presentationFailed {
                throw .webAuthSessionStartFailed
            }
            throw LogiAuthError(error, denial: logi.configuration.denial)
        }
    }
}
