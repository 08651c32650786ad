public import Ostiary
import Synchronization

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
    /// What the static calls use.
    public static let shared = LogiAuth()

    private struct State {
        var door: Result<Logi, LogiAuthError>?
        var session: Session?
        var last: LogiSession?
    }

    private let state = Mutex(State())

    /// Makes one that is not configured.
    public init() {}

    /// Takes a configuration; it holds from the next line on.
    ///
    /// What is wrong with it comes as ``LogiAuthError/invalidConfiguration(_:)`` from the calls that need it.
    ///
    /// - Parameters:
    ///   - config: The app as it is registered.
    ///   - platform: What to work with. Default: what the machine has.
    public func configure(_ config: LogiAuthConfig, on platform: LogiAuthPlatform = .current) {
        let door: Result<Logi, LogiAuthError>
        do throws(LogiAuthError) { door = .success(try platform.door(config)) } catch { door = .failure(error) }
        state.withLock { $0 = State(door: door) }
    }

    /// The session that the last sign-in or refresh gave; `nil` before, and after a sign-out.
    public var lastSession: LogiSession? { state.withLock { $0.last } }

    /// Where the person is who signs in: in the provider's app or in a browser; `nil` when nobody does.
    public var handoffKind: LogiFlow.Leg? {
        guard let leg = (try? door())?.currentFlow?.leg else { return nil }
        return leg == .starting ? nil : leg
    }

    /// Asks a person to sign in.
    ///
    /// - Parameter scopes: What is asked for; `nil` for what the configuration says.
    /// - Throws: What went wrong; a session from before is still there.
    @discardableResult
    public func signIn(scopes: [String]? = nil) async throws(LogiAuthError) -> LogiSession {
        let logi = try door()
        return try await told(logi) { () async throws(SignInError) -> LogiSession in
            let session = try await logi.signIn(scopes: scopes?.map { Scope(rawValue: $0) })
            return try self.keep(session)
        }
    }

    /// Shows a page that the app's own backend made, and returns what the backend asked for.
    ///
    /// - Parameters:
    ///   - startURL: For a browser.
    ///   - nativeStartURL: The same on the host that the provider's app claims; `nil` tries the browser alone.
    /// - Throws: What is wrong with the pair, before anything is opened; otherwise what went wrong.
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

    /// Takes a URL that the app was opened with.
    ///
    /// - Returns: Whether it answers the sign-in that is under way; `false` also before ``configure(_:on:)``.
    @discardableResult
    public func handle(_ url: URL) -> Bool { (try? door())?.handle(url) ?? false }

    /// Ends the sign-in that is under way.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func cancel() -> Bool {
        guard let logi = try? door(), let flow = logi.currentFlow else { return false }
        return logi.cancel(flow)
    }

    /// Ends a sign-in that the person has left in the provider's app: call it when the app has come to the front.
    @discardableResult
    public func cancelAbandonedHandoff() async -> Bool { await (try? door())?.cancelAbandonedHandoff() ?? false }

    /// Renews the tokens now; however many callers ask at once, one request is sent.
    ///
    /// - Throws: ``LogiAuthError/noRefreshToken`` when nobody is signed in; `invalid_grant` ends the session, anything
    ///   else keeps it.
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

    /// The refresh token, for an app that hands it to its own backend; two users of one token end the session.
    ///
    /// - Returns: `nil` when nobody is signed in.
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

    /// The front door, for what the vendor's document does not show.
    ///
    /// - Throws: ``LogiAuthError/notConfigured`` or ``LogiAuthError/invalidConfiguration(_:)``.
    public func door() throws(LogiAuthError) -> Logi {
        switch state.withLock({ $0.door }) {
        case .success(let logi): return logi
        case .failure(let error): throw error
        case nil: throw .notConfigured
        }
    }

    /// The one session of this process: two for one account would renew their tokens side by side.
    private func session(of logi: Logi) async throws(SignInError) -> Session? {
        if let session = state.withLock({ $0.session }) { return session }
        let restored = try await logi.restoreSession()
        return state.withLock { state in
            if state.session == nil { state.session = restored }
            return state.session
        }
    }

    private func keep(_ session: Session) throws(SignInError) -> LogiSession {
        state.withLock { $0.session = session }
        let snapshot = try LogiSession(session)
        state.withLock { state in
            if state.session === session, session.end == nil { state.last = snapshot }
        }
        return snapshot
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
