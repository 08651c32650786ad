public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sign in with logi (1pass).
///
///     let logi = try Logi(
///         LogiConfiguration(clientID: "logi_…", redirectURI: "myapp://oauth/1pass/callback"))
///     let session = try await logi.signIn()
///     let token = try await session.accessToken()
///
/// The provider's own app is tried first; the browser is used where it does not open.
public struct Logi: Sendable {
    /// Opens a URL in the app that claims it, and says whether there was one.
    ///
    /// On iOS it is `UIApplication.open(_:options:)` with `universalLinksOnly`: a universal link reaches an app only
    /// when an app opens it directly; from inside a browser it stays there.
    public typealias Opener = @Sendable (URL) async -> Bool

    /// The app's registration.
    public let configuration: LogiConfiguration
    /// The underlying client, for features that are not logi's own.
    public let client: SignInClient

    let flows = LogiFlows()
    let redirects: ForwardedRedirects
    let browser: any UserAgent
    let opener: Opener?
    let returning: AppReturn
    let transport: LogiTransport
    let store: any SecretStore
    let clock: DeviceClock
    let context: ExchangeContext
    let random: @Sendable () -> any RandomNumberGenerator

    /// Makes a front door.
    ///
    /// - Parameters:
    ///   - configuration: The app's registration.
    ///   - browser: The user agent that presents the sign-in page when the provider's app does not open. The
    ///     platform's, a `PlatformUserAgent`, has the session of ``LogiConfiguration/browserSession`` and keeps its
    ///     window; any other decides for itself. Default: the platform's.
    ///   - opener: Opens a URL in the provider's own app; `nil` uses the browser alone. Default: ``platformOpener``.
    ///   - returning: The action when the user comes back from the provider's app without a response, which no platform
    ///     reports. Default: ``platformReturn``.
    ///   - redirects: The receiver of the URLs that open the app, see ``handle(_:)``.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the session and the device's credentials. Default: the platform's, which is permanent
    ///     and, on Apple platforms, the keychain of this device only.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each request.
    ///   - events: Called for each step; it must not block.
    /// - Throws: `configuration` when the client identifier is invalid.
    public init(
        _ configuration: LogiConfiguration,
        browser: (any UserAgent)? = nil,
        opener: Opener? = Logi.platformOpener,
        returning: AppReturn = Logi.platformReturn,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) throws(SignInError) {
        self.configuration = configuration
        self.redirects = redirects
        self.opener = opener
        self.returning = returning
        self.browser = WebLeg(browser: Self.browser(browser ?? PlatformUserAgent(), for: configuration), flows: flows)
        self.transport = LogiTransport(transport, issuer: configuration.issuer)
        self.store = store
        self.clock = clock
        self.random = random
        context = ExchangeContext(clock: ServerClock(clock), random: random, events: { events(.exchange($0)) })
        let host = configuration.nativeHost
        client = SignInClient(
            issuer: configuration.tokenIssuer,
            client: try configuration.client(),
            configuration: SignInClient.Configuration(
                server: configuration.tokenIssuer == configuration.issuer
                    ? nil : LogiPreset.server(at: configuration.issuer, tokenIssuer: configuration.tokenIssuer),
                userAgent: Self.userAgent(opener, flows, redirects, returning, self.browser) { host.rewriting($0) },
                transport: self.transport,
                store: store,
                policy: SessionPolicy(
                    browserDeadline: configuration.deadline,
                    minimumValidity: LogiPreset.expiryLeeway,
                    pendingLifetime: configuration.pendingLifetime
                ),
                clock: clock,
                random: random,
                events: events
            )
        )
    }

    /// Returns the platform's user agent with the configuration's browser session, and any other one unchanged.
    private static func browser(_ browser: any UserAgent, for configuration: LogiConfiguration) -> any UserAgent {
        guard var platform = browser as? PlatformUserAgent else { return browser }
        platform.browserSession = configuration.browserSession == .ephemeral ? .ephemeral : .shared
        return platform
    }

    /// The provider's own app first, the browser second; both with the same query.
    ///
    /// A URL that the app is opened with ends either.
    static func userAgent(
        _ opener: Opener?,
        _ flows: LogiFlows,
        _ redirects: ForwardedRedirects,
        _ returning: AppReturn,
        _ browser: any UserAgent,
        rewriting: @escaping @Sendable (URL) -> URL?
    ) -> any UserAgent {
        guard let opener else { return browser.expecting(redirects) }
        return AppHandoff(
            redirects,
            opener: { url in
                flows.move(to: .native)
                return await opener(url)
            },
            rewriting: rewriting,
            returning: returning,
            otherwise: browser
        )
    }

    /// Signs the user in, and returns the session: validated and already stored.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes, with `openid`; `nil` for the configuration's.
    ///   - prompt: The interactions that the server must have with the user; empty leaves them to the server.
    /// - Returns: The session.
    /// - Throws: `alreadyInProgress` when another sign-in is in progress, which continues; otherwise the error, and an
    ///   earlier session is kept.
    public func signIn(
        scopes: [Scope]? = nil,
        prompt: [AuthorizationRequest.Prompt] = []
    ) async throws(SignInError) -> Session {
        try await signIn(AuthorizationRequest(scopes: scopes ?? configuration.scopes, prompt: prompt))
    }

    /// Signs the user in with a request of the app's own: a maximum age, an authentication context.
    ///
    /// The provider's support for these is not documented; its response is checked against them.
    ///
    /// - Throws: As ``signIn(scopes:prompt:)``.
    public func signIn(_ request: AuthorizationRequest) async throws(SignInError) -> Session {
        let client = client
        return try await flows.run { () async throws(SignInError) -> Session in
            guard request.scopes.contains(.openID) else {
                throw SignInError(.authorization, .configuration("Ask for openid among the scopes."))
            }
            return try await client.signIn(request)
        }
    }

    /// Signs in a user who uses another device (RFC 8628).
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes.
    ///   - show: Displays the code and the page; called once.
    /// - Returns: The session, already stored.
    /// - Throws: As `SignInClient.signInOnOtherDevice(scopes:resources:show:)`.
    public func signInOnOtherDevice(
        scopes: [Scope]? = nil,
        show: @Sendable (PendingDeviceAuthorization) async -> Void
    ) async throws(SignInError) -> Session {
        try await client.signInOnOtherDevice(scopes: scopes ?? configuration.scopes, show: show)
    }

    /// Returns the stored session, if there is one; nothing is sent.
    ///
    /// Sessions of one account share their tokens and their refreshes.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(SignInError) -> Session? { try await client.restoreSession() }

    /// Finishes a sign-in that was in progress when the app was ended, with the URL that the app was opened with.
    ///
    /// - Returns: `nil` when nothing waited for this URL, or for too long; see ``LogiConfiguration/pendingLifetime``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> Session? {
        try await client.resumeSignIn(from: url)
    }

    /// Handles a URL that opened the app: call it from `onOpenURL`, and for each universal link.
    ///
    /// - Returns: Whether the URL is the response to the sign-in in progress. Any other URL is not consumed, and the
    ///   sign-in continues to wait, also when only the URL's `state` is wrong.
    @discardableResult
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }
}

extension Logi {
    /// Continues a session that another SDK stored, so that the user need not sign in again.
    ///
    /// The vendor's SDK keeps the refresh token as text in the keychain service `dev.1pass.LogiAuth.<clientId>`,
    /// account `refresh_token`; the document's manual integration keeps it in the service `logi.refresh_token`.
    ///
    /// - Throws: As `SignInClient.adopt(_:)`.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) -> Session {
        try await client.adopt(imported)
    }

    /// Continues a session from its refresh token.
    ///
    /// - Throws: As `SignInClient.adopt(_:)`.
    public func adopt(refreshToken: Secret) async throws(SignInError) -> Session {
        try await client.adopt(refreshToken: refreshToken, scopes: configuration.scopes)
    }
}

extension Logi {
    /// Signs the user in by the app's own backend, which makes the page, redeems the code and keeps the tokens.
    ///
    /// The backend's half is `LogiBackend` of OstiaryLogiServer.
    ///
    /// - Returns: The session at the backend, already stored; the app receives no token.
    /// - Throws: `malformed` at stage `authorization` when the backend's two pages differ in more than the host;
    ///   otherwise as ``authorize(_:)``, `BackendClient.start()` and
    ///   `BackendClient.finish(code:state:issuer:)`.
    public func signIn(by backend: BackendClient) async throws(SignInError) -> BackendSession {
        let page = try await backend.start()
        let start: LogiStartURL
        do throws(LogiStartURL.Problem) {
            start = try LogiStartURL(page.url, native: page.nativeURL)
        } catch {
            throw SignInError(.authorization, .malformed("the backend's start_url: \(error)"))
        }
        let callback = try await authorize(start)
        return try await backend.finish(code: callback.code, state: callback.state, issuer: callback.issuer)
    }
}

extension Logi {
    #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
        /// Opens the provider's own app by its universal link.
        public static let platformOpener: Opener? = AppHandoff.systemOpener

        /// Cancels the sign-in when the user comes back from the provider's app and no redirect follows.
        public static let platformReturn = AppReturn.cancelling()
    #else
        /// `nil`: the provider has no app on this platform.
        public static let platformOpener: Opener? = nil

        /// No action: there is no app to come back from.
        public static let platformReturn = AppReturn.ignored
    #endif
}
