public import Ostiary
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs users in at a Logto tenant, under the names of Logto's own SDK: versions 1 and 2.
///
///     let client = LogtoClient(useConfig: config)
///     try await client.signInWithBrowser(redirectUri: "io.logto.app://callback")
///
/// A thin layer over ``Logto`` and ``LogtoSession``, which keep tokens out of sight and throw one type of error.
public final class LogtoClient: Sendable {
    /// The app's configuration at the tenant; `nil` when it was invalid, and then every call reports it.
    public let logtoConfig: LogtoConfig?
    private let transport: any HTTPTransport
    private let logto: Result<Logto, SignInError>
    private let state: Lock<State>
    private let redirects: ForwardedRedirects

    private struct State {
        var session: LogtoSession?
        /// Whether the store has been read, and nothing that Logto's own SDK kept is left.
        var isRestored = false
        var oidcConfig: LogtoCore.OidcConfigResponse?
    }

    /// Makes a client; a stored session is available at once when the store reads without waiting.
    ///
    /// - Parameters:
    ///   - config: The app; the result of `try? LogtoConfig(…)` is accepted.
    ///   - session: The session that loads every request, including those for keys and user info, such as a
    ///     `URLSession` of the app's own. Default: `transport`.
    ///   - transport: The HTTP transport used where there is no `session`.
    ///   - userAgent: The user agent that presents the sign-in page. Default: the platform's.
    ///   - store: The store of the session. Default: the platform's if the configuration requires it, otherwise memory.
    ///   - redirects: The receiver of the URLs that ``handle(url:)`` forwards. Default: one for the whole app.
    ///   - clock: The device's clocks.
    ///   - events: Called for each step; it must not block.
    public init(
        useConfig config: LogtoConfig?,
        session: (any NetworkSession)? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        userAgent: (any UserAgent)? = nil,
        store: (any SecretStore)? = nil,
        redirects: ForwardedRedirects = LogtoClient.redirects,
        clock: DeviceClock = .system,
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) {
        logtoConfig = config
        let transport = session.map { SessionTransport.of($0) } ?? transport
        self.transport = transport
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
                redirects: redirects,
                transport: transport,
                store: store,
                clock: clock,
                events: events
            )
            self.logto = .success(logto)
            var state = State()
            do throws(SignInError) {
                state.session = try logto.restoreSessionNow()
                state.isRestored = !logto.hasEarlierSession
            } catch {
                // A store that is locked, or that cannot be read at once: the next call that may wait reads it.
            }
            self.state = Lock(state)
        } catch {
            logto = .failure(error)
            state = Lock(State())
        }
    }

    /// Version 1's plug-ins hand a social sign-in to another app's SDK from inside a web view, which there is none of
    /// here (RFC 8252 section 8.12).
    @available(*, unavailable, message: "Leave socialPlugins out: social connectors work in the browser.")
    public convenience init(useConfig config: LogtoConfig?, socialPlugins: [Any], session: (any NetworkSession)? = nil)
    {
        self.init(useConfig: config, session: session)
    }

    /// Reads the stored session, where ``init(useConfig:session:transport:userAgent:store:redirects:clock:events:)``
    /// could not, and continues the one that Logto's own SDK kept in the keychain.
    ///
    /// Every call that may wait does the same first. Call this one at the start of an app that comes from Logto's SDK:
    /// ``isAuthenticated`` is then right for its first screen.
    ///
    /// - Throws: As ``Logto/adoptFromKeychain()``.
    public func restore() async throws(SignInError) { _ = try await current() }

    /// Whether a user is signed in.
    public var isAuthenticated: Bool { live != nil }
    /// The validated ID token; `nil` when no user is signed in.
    public var idToken: Secret? { live?.session.identity?.compact }
    /// The refresh token, which its next use replaces; `nil` for none.
    public var refreshToken: Secret? { live?.session.tokens.refreshToken }

    /// Returns the claims of the ID token.
    ///
    /// - Throws: ``LogtoClientErrors/IdToken`` when no user is signed in.
    public func getIdTokenClaims() throws -> IdTokenClaims {
        guard let claims = live?.claims else { throw LogtoClientErrors.IdToken.notAuthenticated }
        return claims
    }

    /// Signs the user in, in the browser.
    ///
    /// - Parameters:
    ///   - redirectUri: A redirect URI from the console.
    ///   - loginHint: A hint about the user who will sign in.
    ///   - directSignIn: The target of a sign-in that skips the sign-in page.
    ///   - extraParams: Any other parameter of Logto's; none that the request sets itself.
    /// - Throws: ``LogtoClientErrors/SignIn``, ``LogtoClientErrors/OidcConfig`` or ``LogtoClientErrors/JwkSet``; an
    ///   earlier session is unchanged.
    public func signInWithBrowser(
        redirectUri: String,
        loginHint: String? = nil,
        directSignIn: LogtoCore.DirectSignInOptions? = nil,
        extraParams: [String: String]? = nil
    ) async throws {
        var options = LogtoSignInOptions(loginHint: loginHint, directSignIn: directSignIn)
        for (name, value) in (extraParams ?? [:]).sorted(by: { $0.key < $1.key }) {
            options.extraParameters.append(value, for: Parameters.Name(rawValue: name))
        }
        try await signInWithBrowser(redirectUri: redirectUri, options: options)
    }

    /// Signs the user in, in the browser, with all options of a sign-in.
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
        guard let logtoConfig else { throw LogtoClientErrors.OidcConfig(type: .unableToFetchOidcConfig) }
        let config = try await LogtoCore.fetchOidcConfig(
            from: transport,
            uri: logtoConfig.endpoint.appending(path: "oidc/.well-known/openid-configuration")
        )
        state.withLock { $0.oidcConfig = config }
        return config
    }

    /// Handles a URL that opened the app: for version 1's method, and for https redirects that the system passes to the
    /// app.
    ///
    /// - Returns: Whether the URL was a response that a call waits for; `false` changes nothing.
    @discardableResult
    public func handle(url: URL) -> Bool { redirects.handle(url) }

    /// Handles a URL that opened the app, for whichever client waits for it.
    ///
    /// - Parameters:
    ///   - appId: Not needed: a response names its sign-in by its `state`. Version 1 of Logto's SDK has it.
    ///   - url: The URL.
    /// - Returns: As ``handle(url:)``.
    @discardableResult
    public static func handle(forAppId appId: String? = nil, url: URL) -> Bool { redirects.handle(url) }

    /// The receiver of the URLs that open the app, shared by the app's user agents.
    public static let redirects = ForwardedRedirects()

    /// The session, as long as it has not ended.
    private var live: LogtoSession? { state.withLock { $0.session }.flatMap { $0.end == nil ? $0 : nil } }

    /// Continues a session that another SDK stored; ``restore()`` does it for the one that Logto's own SDK kept.
    ///
    /// - Throws: As ``Logto/adopt(_:)``.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) {
        let session = try await logto.get().adopt(imported)
        state.withLock { state in
            state.session = session
            state.isRestored = true
        }
    }

    /// Returns the session of the signed-in user.
    ///
    /// - Throws: `signInRequired` when no user is signed in; the error of reading the store.
    func signedIn() async throws(SignInError) -> LogtoSession {
        guard let session = try await current() else { throw SignInError(.refresh, .signInRequired) }
        return session
    }

    /// The session, read from the store when that has not been done.
    func current() async throws(SignInError) -> LogtoSession? {
        let logto = try logto.get()
        if state.withLock({ $0.isRestored }) { return live }
        let restored = try await logto.adoptFromKeychain()
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
