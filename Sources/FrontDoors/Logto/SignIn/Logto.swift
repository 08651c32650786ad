public import Ostiary
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs users in at a Logto tenant.
///
///     let config = try LogtoConfig(endpoint: "https://tenant.logto.app", appId: "my-app")
///     let logto = try Logto(config, redirectURI: "io.logto.app://callback")
///     let session = try await logto.signIn()
///
/// `SignInClient` makes every check of an ID token, a redirect and a refresh.
public struct Logto: Sendable {
    /// The app's configuration at the tenant.
    public let config: LogtoConfig
    let client: SignInClient
    private let redirects: ForwardedRedirects

    /// Makes a front door from an app's configuration and its dependencies.
    ///
    /// - Parameters:
    ///   - config: The app's configuration at the tenant.
    ///   - redirectURI: A redirect URI from the console.
    ///   - account: Separates the sessions of several accounts.
    ///   - userAgent: The user agent that presents the sign-in page. Default: the platform's.
    ///   - redirects: The receiver of the URLs that ``handle(_:)`` forwards; share one between several values of an
    ///     app.
    ///   - transport: The HTTP transport used for every request, including those for keys and user info.
    ///   - store: The store of the session. Default: the platform's if the configuration requires it, otherwise memory.
    ///   - pendingLifetime: The time for which a sign-in is stored, so that its response can arrive after a
    ///     restart: ``resumeSignIn(from:)``. Default `nil`: not stored.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each request.
    ///   - events: Called for each step; it must not block.
    /// - Throws: `configuration` for an invalid redirect URI.
    public init(
        _ config: LogtoConfig,
        redirectURI: String,
        account: String? = nil,
        userAgent: (any UserAgent)? = nil,
        redirects: ForwardedRedirects = ForwardedRedirects(),
        transport: any HTTPTransport = URLSessionTransport(),
        store: (any SecretStore)? = nil,
        pendingLifetime: Duration? = nil,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
    ) throws(SignInError) {
        self.config = config
        self.redirects = redirects
        client = SignInClient(
            issuer: try Issuer(config.issuer),
            client: try Client(
                id: config.appId,
                redirectURI: try RedirectURI(redirectURI),
                validation: Client.ValidationPolicy(
                    idTokenAlgorithms: Self.idTokenAlgorithms,
                    clockTolerance: config.clockTolerance
                ),
                // Logto 1.37 leaves issued_token_type out of its token exchange.
                manners: ServerManners(omitsIssuedTokenType: true)
            ),
            configuration: SignInClient.Configuration(
                account: account,
                userAgent: (userAgent ?? PlatformUserAgent(browserSession: config.browserSession)).expecting(redirects),
                transport: LogtoTransport(transport),
                store: store ?? (config.usingPersistStorage ? SignInClient.defaultStore : MemoryStore()),
                policy: SessionPolicy(minimumValidity: .seconds(60), pendingLifetime: pendingLifetime),
                clock: clock,
                random: random,
                events: events
            )
        )
    }

    private init(_ other: Logto, _ client: SignInClient) {
        config = other.config
        self.client = client
        redirects = other.redirects
    }

    /// The algorithms with which Logto signs ID tokens, and the only accepted ones.
    static let idTokenAlgorithms: Set<SignatureAlgorithm> = [.rs256, .ps256, .es256, .es384, .es512]

    /// Returns the same front door with another of the app's redirect URIs.
    ///
    /// - Throws: `configuration` for an invalid URI.
    public func redirecting(to redirectURI: String) throws(SignInError) -> Logto {
        Logto(self, client.redirecting(to: try RedirectURI(redirectURI)))
    }

    /// Forwards a URL that opened the app: call it from `onOpenURL`, and for each universal link.
    ///
    /// - Returns: Whether the URL is the response to the sign-in or sign-out in progress; any other URL is left alone.
    @discardableResult
    public func handle(_ url: URL) -> Bool { redirects.handle(url) }

    /// Signs the user in, and returns the session, already stored.
    ///
    /// - Throws: `alreadyInProgress` while another sign-in with the same stored session is open; otherwise as
    ///   `SignInClient.signIn(_:)`.
    public func signIn(_ options: LogtoSignInOptions = LogtoSignInOptions()) async throws(SignInError) -> LogtoSession {
        let request = try AuthorizationRequest(config, options)
        let session = LogtoSession(try await client.signIn(request), config)
        forgetEarlierSession()
        return session
    }

    /// Completes a sign-in that began before the app was restarted, with the URL that opened the app.
    ///
    /// - Returns: The session; `nil` when the URL is not the response to a waiting sign-in.
    /// - Throws: As ``signIn(_:)``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> LogtoSession? {
        guard let session = try await client.resumeSignIn(from: url) else { return nil }
        forgetEarlierSession()
        return LogtoSession(session, config)
    }

    /// Returns the stored session, if there is one.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(SignInError) -> LogtoSession? {
        try await client.restoreSession().map { LogtoSession($0, config) }
    }

    /// The session that was stored, read at once: for the first screen of an app.
    ///
    /// - Throws: `storage` when it cannot be read; `unsupported` when the store cannot read without waiting.
    public func restoreSessionNow() throws(SignInError) -> LogtoSession? {
        try client.restoreSessionNow().map { LogtoSession($0, config) }
    }

    /// Exchanges a subject token of the tenant's management API for a token on behalf of a user (RFC 8693), without
    /// storing it.
    ///
    /// - Parameters:
    ///   - subject: The subject token.
    ///   - type: The type of the subject token.
    ///   - actor: The actor who acts for the user; `nil` for the app itself.
    ///   - resource: The API that the new token is for.
    ///   - organizationID: The organization that it acts for.
    ///   - scopes: The requested scopes; empty leaves them to the server.
    /// - Returns: The new token.
    /// - Throws: `refused` when Logto rejects the exchange.
    public func exchange(
        _ subject: Secret,
        type: TokenType = .accessToken,
        actor: TokenExchangeGrant.Token? = nil,
        for resource: String? = nil,
        organizationID: String? = nil,
        scopes: [Scope] = []
    ) async throws(SignInError) -> TokenSet {
        var parameters = Parameters()
        parameters["organization_id"] = organizationID
        var resources: [ResourceIndicator] = []
        if let resource { resources.append(try ResourceIndicator(resource)) }
        return try await client.exchange(
            TokenExchangeGrant.Token(subject, type),
            actor: actor,
            resources: resources,
            scopes: scopes,
            requestedType: .accessToken,
            additionalParameters: parameters
        )
    }
}

extension Logto: CustomStringConvertible, CustomReflectable {
    /// The tenant and the app.
    public var description: String { "Logto(\(config.issuer), \(config.appId))" }
    /// The tenant and the app.
    public var customMirror: Mirror { Mirror(self, children: ["logto": description]) }
}

/// The platform's defaults for a sign-in.
enum PlatformDefaults {
    /// The redirect URI that the platform's user agent can receive.
    ///
    /// An app on macOS supports both kinds; its own scheme needs no port.
    static var redirectURI: String {
        #if canImport(AuthenticationServices)
            "io.logto.app://callback"
        #else
            "http://127.0.0.1/callback"
        #endif
    }
}

extension LogtoConfig {
    /// The cookies that the sign-in page uses.
    var browserSession: BrowserSession { prefersEphemeralWebBrowserSession ? .ephemeral : .shared }
}
