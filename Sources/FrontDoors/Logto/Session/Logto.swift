public import Ostiary
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Signs people in at a Logto tenant.
///
///     let config = try LogtoConfig(endpoint: "https://tenant.logto.app", appId: "my-app")
///     let logto = try Logto(config, redirectURI: "io.logto.app://callback")
///     let session = try await logto.signIn()
///
/// Everything that an ID token, a redirect and a refresh are checked for is checked by ``SignInClient``.
public struct Logto: Sendable {
    /// The app as it is set up at the tenant.
    public let config: LogtoConfig
    let client: SignInClient
    private let gate: SignInGate

    /// Makes a value of an app's configuration and what it runs on.
    ///
    /// - Parameters:
    ///   - config: The app as it is set up at the tenant.
    ///   - redirectURI: A redirect URI from the console.
    ///   - account: Tells the sessions of several accounts apart.
    ///   - userAgent: What shows the sign-in page. Default: the platform's.
    ///   - transport: What carries every request: those for keys and user info, too.
    ///   - store: What keeps the session. Default: the platform's when the configuration says so, otherwise memory.
    ///   - pendingLifetime: How long a sign-in is kept in the store, in seconds, so that its answer can come after a
    ///     restart: ``resumeSignIn(from:)``. Default `nil`: not at all.
    ///   - clock: The device's clocks.
    ///   - random: A new source of secure random numbers for each request.
    ///   - events: Told of each step; it may not block.
    /// - Throws: `configuration` for a redirect URI that is none.
    public init(
        _ config: LogtoConfig,
        redirectURI: String,
        account: String? = nil,
        userAgent: (any UserAgent)? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        store: (any SecretStore)? = nil,
        pendingLifetime: Double? = nil,
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) throws(SignInError) {
        self.config = config
        gate = SignInGate()
        client = SignInClient(
            issuer: try Issuer(config.issuer),
            client: try Client(
                id: config.appId,
                redirectURI: try RedirectURI(redirectURI),
                validation: ValidationPolicy(
                    idTokenAlgorithms: Self.idTokenAlgorithms,
                    clockTolerance: config.clockTolerance
                ),
                // Logto 1.37 leaves issued_token_type out of its token exchange.
                manners: ServerManners(omitsIssuedTokenType: true)
            ),
            account: account,
            userAgent: userAgent ?? PlatformUserAgent(browserSession: config.browserSession),
            transport: LogtoTransport(transport),
            store: store ?? (config.usingPersistStorage ? PlatformDefaults.store() : MemoryStore()),
            policy: SessionPolicy(minimumValidity: 60, pendingLifetime: pendingLifetime),
            clock: clock,
            random: random,
            events: events
        )
    }

    private init(_ config: LogtoConfig, _ client: SignInClient, _ gate: SignInGate) {
        self.config = config
        self.client = client
        self.gate = gate
    }

    /// What Logto signs ID tokens with, and hence all that is accepted.
    static let idTokenAlgorithms: Set<SignatureAlgorithm> = [.rs256, .ps256, .es256, .es384, .es512]

    /// The same with another of the app's redirect URIs.
    ///
    /// - Throws: `configuration` for one that is none.
    public func redirecting(to redirectURI: String) throws(SignInError) -> Logto {
        Logto(config, client.redirecting(to: try RedirectURI(redirectURI)), gate)
    }

    /// Asks a person to sign in, and returns their session, which is stored by then.
    ///
    /// - Throws: `alreadyInProgress` while another sign-in of this value is open; otherwise as ``SignInClient/signIn(_:)``.
    public func signIn(_ options: LogtoSignInOptions = LogtoSignInOptions()) async throws(SignInError) -> LogtoSession {
        let request = try AuthorizationRequest(config, options)
        guard gate.enter() else { throw SignInError(.authorization, .alreadyInProgress) }
        defer { gate.leave() }
        return LogtoSession(try await client.signIn(request), config)
    }

    /// Ends a sign-in that began before the app was restarted, with the URL that the app is opened with now.
    ///
    /// - Returns: The session; `nil` when the URL is not the answer to a sign-in that waits.
    /// - Throws: As ``signIn(_:)``.
    public func resumeSignIn(from url: URL) async throws(SignInError) -> LogtoSession? {
        try await client.resumeSignIn(from: url).map { LogtoSession($0, config) }
    }

    /// The session that was stored, if there is one.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restoreSession() async throws(SignInError) -> LogtoSession? {
        try await client.restoreSession().map { LogtoSession($0, config) }
    }

    /// The session that was stored, read at once: for the first screen of an app.
    ///
    /// - Throws: `storage` when it cannot be read; `unsupported` when the store cannot read without waiting.
    public func restoreSessionNow() throws(SignInError) -> LogtoSession? {
        try client.restoreSessionNow().map { LogtoSession($0, config) }
    }

    /// A token in a person's name for a subject token that the tenant's management API made (RFC 8693); it is not stored.
    ///
    /// - Parameters:
    ///   - subject: The subject token.
    ///   - type: Its kind.
    ///   - actor: Who acts for the person; `nil` for the app itself.
    ///   - resource: The API that the new token is for.
    ///   - organizationID: The organization that it acts for.
    ///   - scopes: What for; empty leaves it to the server.
    /// - Throws: `refused` when Logto says no.
    public func exchange(
        _ subject: Secret,
        type: TokenType = .accessToken,
        actor: SecurityTokenGrant.Token? = nil,
        for resource: String? = nil,
        organizationID: String? = nil,
        scopes: [Scope] = []
    ) async throws(SignInError) -> TokenSet {
        var parameters = Parameters()
        parameters["organization_id"] = organizationID
        var resources: [ResourceIndicator] = []
        if let resource { resources.append(try ResourceIndicator(resource)) }
        return try await client.exchange(
            SecurityTokenGrant.Token(subject, type),
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
