public import Ostiary
public import OstiaryOAuth
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs people in at a Logto tenant, under the names of Logto's own SDK: versions 1 and 2.
///
///     let client = LogtoClient(useConfig: config)
///     try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
///
/// A thin face over ``Logto`` and ``LogtoSession``, which keep tokens out of sight and throw one type of error.
public final class LogtoClient: Sendable {
    /// The app as it is set up at the tenant; `nil` when it could not be made, and then every call says so.
    public let logtoConfig: LogtoConfig?
    /// What carries every request.
    public let networkSession: any NetworkSession
    private let logto: Result<Logto, SignInError>
    private let state: Mutex<State>
    private let redirects: ForwardedRedirects

    private struct State {
        var session: LogtoSession?
        /// Whether the store has been read.
        var isRestored = false
        var oidcConfig: LogtoCore.OidcConfigResponse?
    }

    /// Makes a client; a session that was stored is there at once when the store reads without waiting.
    ///
    /// - Parameters:
    ///   - config: The app; what `try? LogtoConfig(…)` made may be given as it is.
    ///   - session: What carries every request: those for keys and user info, too.
    ///   - userAgent: What shows the sign-in page. Default: the platform's.
    ///   - store: What keeps the session. Default: the platform's when the configuration says so, otherwise memory.
    ///   - redirects: Where ``handle(url:)`` brings the URLs that the app is opened with. Default: one for the whole app.
    ///   - clock: The device's clocks.
    ///   - events: Told of each step; it may not block.
    public init(
        useConfig config: LogtoConfig?,
        session: any NetworkSession = URLSessionTransport(),
        userAgent: (any UserAgent)? = nil,
        store: (any SecretStore)? = nil,
        redirects: ForwardedRedirects = LogtoClient.redirects,
        clock: DeviceClock = .system,
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) {
        logtoConfig = config
        networkSession = session
        self.redirects = redirects
        do throws(SignInError) {
            guard let config else {
                throw SignInError(
                    .discovery,
                    .configuration("There is no LogtoConfig: call it with try, and read its error.")
                )
            }
            let logto = try Logto(
                config,
                redirectURI: PlatformDefaults.redirectURI,
                userAgent: userAgent,
                transport: session,
                store: store,
                clock: clock,
                events: events
            )
            self.logto = .success(logto)
            var state = State()
            do throws(SignInError) {
                state.session = try logto.restoreSessionNow()
                state.isRestored = true
            } catch {
                // A store that is locked, or that cannot be read at once: the next call that may wait reads it.
            }
            self.state = Mutex(state)
        } catch {
            logto = .failure(error)
            state = Mutex(State())
        }
    }

    /// Reads the stored session, where ``init(useConfig:session:userAgent:store:redirects:clock:events:)`` could not.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restore() async throws(SignInError) { _ = try await current() }

    /// Whether somebody is signed in.
    public var isAuthenticated: Bool { live != nil }
    /// The ID token, which was checked; `nil` when nobody is signed in.
    public var idToken: Secret? { live?.session.identity?.compact }
    /// The refresh token, which its next use replaces; `nil` when there is none.
    public var refreshToken: Secret? { live?.session.tokens.refreshToken }

    /// What the ID token says.
    ///
    /// - Throws: ``LogtoClientErrors/IdToken`` when nobody is signed in.
    public func getIdTokenClaims() throws -> IdTokenClaims {
        guard let claims = live?.claims else { throw LogtoClientErrors.IdToken(type: .notAuthenticated) }
        return claims
    }

    /// Asks the person to sign in, in the browser.
    ///
    /// - Parameters:
    ///   - redirectUri: A redirect URI from the console.
    ///   - loginHint: Who will sign in, as far as the app knows.
    ///   - directSignIn: Where the sign-in goes at once.
    ///   - extraParams: Any other parameter of Logto's; none that the request sets itself.
    /// - Throws: ``LogtoClientErrors/SignIn``, ``LogtoClientErrors/OidcConfig`` or ``LogtoClientErrors/JwkSet``; a session
    ///   from before stays as it is.
    public func signInWithBrowser(
        redirectUri: String,
        loginHint: String? = nil,
        directSignIn: DirectSignInOptions? = nil,
        extraParams: [String: String] = [:]
    ) async throws {
        var options = LogtoSignInOptions(loginHint: loginHint, directSignIn: directSignIn)
        for (name, value) in extraParams.sorted(by: { $0.key < $1.key }) {
            options.extraParameters.append(value, for: Parameters.Name(rawValue: name))
        }
        try await signInWithBrowser(redirectUri: redirectUri, options: options)
    }

    /// Asks the person to sign in, in the browser, with everything that a sign-in can ask for.
    ///
    /// - Throws: As ``signInWithBrowser(redirectUri:loginHint:directSignIn:extraParams:)``.
    public func signInWithBrowser(redirectUri: String, options: LogtoSignInOptions) async throws {
        let logto: Logto
        do throws(SignInError) {
            logto = try self.logto.get().redirecting(to: redirectUri)
        } catch {
            throw LogtoClientErrors.SignIn(type: .unableToConstructRedirectUri, innerError: error)
        }
        do throws(SignInError) {
            let session = try await logto.signIn(options)
            state.withLock { state in
                state.session = session
                state.isRestored = true
            }
        } catch {
            throw error.ofSignIn
        }
    }

    /// The tenant's metadata as ``fetchOidcConfig()`` read it last; `nil` before.
    public var oidcConfig: LogtoCore.OidcConfigResponse? { state.withLock { $0.oidcConfig } }

    /// Reads the tenant's metadata, for showing it: a sign-in reads its own, and reads it again after an hour.
    ///
    /// - Throws: ``LogtoClientErrors/OidcConfig``.
    @discardableResult
    public func fetchOidcConfig() async throws(LogtoClientErrors.OidcConfig) -> LogtoCore.OidcConfigResponse {
        let config = try await LogtoCore.fetchOidcConfig(useSession: networkSession, uri: logtoConfig?.issuer ?? "")
        state.withLock { $0.oidcConfig = config }
        return config
    }

    /// Takes a URL that the app was opened with: for version 1's hand-off, and for https redirects that the system hands
    /// to the app.
    ///
    /// - Returns: Whether it was the answer that somebody waits for; `false` leaves everything as it is.
    @discardableResult
    public func handle(url: URL) -> Bool { redirects.handle(url) }

    /// Takes a URL that the app was opened with, for whichever client waits for it.
    ///
    /// - Returns: As ``handle(url:)``.
    @discardableResult
    public static func handle(url: URL) -> Bool { redirects.handle(url) }

    /// Where the app brings the URLs that it is opened with, and where its user agents wait for them.
    public static let redirects = ForwardedRedirects()

    /// The session, as long as it has not ended.
    private var live: LogtoSession? { state.withLock { $0.session }.flatMap { $0.end == nil ? $0 : nil } }

    /// The session of whoever is signed in.
    ///
    /// - Throws: `signInRequired` when nobody is, or what reading the store throws.
    func signedIn() async throws(SignInError) -> LogtoSession {
        guard let session = try await current() else { throw SignInError(.refresh, .signInRequired) }
        return session
    }

    /// The session, read from the store when that has not been done.
    func current() async throws(SignInError) -> LogtoSession? {
        let logto = try logto.get()
        if state.withLock({ $0.isRestored }) { return live }
        let restored = try await logto.restoreSession()
        state.withLock { state in
            // A sign-in meanwhile is newer.
            guard !state.isRestored else { return }
            state.session = restored
            state.isRestored = true
        }
        return live
    }
}

extension LogtoClient: CustomStringConvertible, CustomReflectable {
    /// The tenant and the app; no token.
    public var description: String { "LogtoClient(\(logtoConfig?.issuer ?? ""), \(logtoConfig?.appId ?? ""))" }
    /// No token.
    public var customMirror: Mirror { Mirror(self, children: ["client": description]) }
}
