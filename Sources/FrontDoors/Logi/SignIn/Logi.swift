public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sign in with logi (1pass).
///
///     let logi = try Logi(
///         LogiConfiguration(clientID: "logi_…", redirectURI: "myapp://oauth/1pass/callback"), browser: browser)
///     let session = try await logi.signIn()
///     let token = try await session.accessToken()
///
/// The provider's own app is tried first, where an `opener` is given; the browser is what happens otherwise.
public struct Logi: Sendable {
    /// Opens a URL in the app that claims it, and says whether there was one.
    ///
    /// On iOS it is `UIApplication.open(_:options:)` with `universalLinksOnly`: a universal link reaches an app only when
    /// an app opens it directly; from inside a browser it stays there.
    public typealias Opener = @Sendable (URL) async -> Bool

    /// The app as it is registered.
    public let configuration: LogiConfiguration
    /// The client that does the work, for what is not logi's own.
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
    ///   - configuration: The app as it is registered.
    ///   - browser: What shows the sign-in page when the provider's app does not open. It opens in the manner that
    ///     ``LogiConfiguration/browserSession`` says.
    ///   - opener: Opens a URL in the provider's own app; `nil` where there is none, such as on Linux.
    ///   - returning: What is done when the person comes back from the provider's app without an answer, which gives no
    ///     sign. Default: nothing, until the deadline or ``cancel(_:)``.
    ///   - redirects: Where the app hands in the URLs that it is opened with, see ``handle(_:)``.
    ///   - transport: What carries requests.
    ///   - store: What keeps the session and the device's credentials: on Apple platforms an item of this device only.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each request.
    ///   - events: Told of each step; it may not block.
    /// - Throws: `configuration` when the client identifier cannot be one.
    public init(
        _ configuration: LogiConfiguration,
        browser: any UserAgent,
        opener: Opener? = nil,
        returning: AppReturn = .ignored,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = MemoryStore(),
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) throws(SignInError) {
        self.configuration = configuration
        self.redirects = redirects
        self.opener = opener
        self.returning = returning
        self.browser = WebLeg(browser: browser, flows: flows)
        self.transport = LogiTransport(transport, issuer: configuration.issuer)
        self.store = store
        self.clock = clock
        self.random = random
        context = ExchangeContext(clock: ServerClock(clock), random: random, reporting: { events(.exchange($0)) })
        let host = configuration.nativeHost
        client = SignInClient(
            issuer: configuration.tokenIssuer,
            client: try configuration.client(),
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
    }

    /// The provider's own app first, the browser second; both with the same query.
    static func userAgent(
        _ opener: Opener?,
        _ flows: LogiFlows,
        _ redirects: ForwardedRedirects,
        _ returning: AppReturn,
        _ browser: any UserAgent,
        rewriting: @escaping @Sendable (URL) -> URL?
    ) -> any UserAgent {
        guard let opener else { return browser }
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

    /// Asks a person to sign in, and returns their session: verified, and stored by then.
    ///
    /// - Parameters:
    ///   - scopes: What is asked for; `nil` for what the configuration says. It holds `openid`.
    ///   - prompt: What the person is asked to do; empty leaves it to the server.
    /// - Throws: `alreadyInProgress` when another sign-in is under way, which goes on; otherwise what went wrong, and a
    ///   session from before is still there.
    public func signIn(
        scopes: [Scope]? = nil,
        prompt: [AuthorizationRequest.Prompt] = []
    ) async throws(SignInError) -> Session {
        try await signIn(AuthorizationRequest(scopes: scopes ?? configuration.scopes, prompt: prompt))
    }

    /// Asks a person to sign in with a request of the app's own: a maximum age, an authentication context.
    ///
    /// Whether the provider knows these is documented nowhere; what it answers is checked.
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

    /// Signs a person in who uses another device (RFC 8628).
    ///
    /// - Parameter show: Shows the code and the page; called once.
    /// - Throws: As ``Ostiary/SignInClient/signInOnOtherDevice(scopes:resources:show:)``.
    public func signInOnOtherDevice(
        scopes: [Scope]? = nil,
        show: @Sendable (PendingDeviceAuthorization) async -> Void
    ) async throws(SignInError) -> Session {
        try await client.signInOnOtherDevice(scopes: scopes ?? configuration.scopes, show: show)
    }

    /// The session that was stored, if there is one; nothing is sent.
    ///
    /// Keep the one that it returns: two for one account would renew their tokens side by side.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restoreSession() async throws(SignInError) -> Session? { try await client.restoreSession() }

    /// Finishes a sign-in that was under way when the app was ended, with the URL that the app was opened with.
    ///
    /// - Returns: `nil` when nothing waited for this URL, or for too long; see ``LogiConfiguration/pendingLifetime``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> Session? {
        try await client.resumeSignIn(from: url)
    }

    /// Takes a URL that the app was opened with: call it from `onOpenURL`, and for each universal link.
    ///
    /// - Returns: Whether it answers the sign-in that is under way. Any other URL is not consumed, and the sign-in goes
    ///   on waiting, also when only its `state` is wrong.
    @discardableResult
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }
}
