public import Ostiary

/// Signs people in at a Forge, and keeps them signed in.
///
///     let forge = try Forge(
///         host: ForgeHost("https://forge.example"), clientID: "…", clientSecret: secret,
///         redirectURI: RedirectURI("com.example.app://callback"), userAgent: browser, store: store)
///     let session = try await forge.signIn()
///     let person = try await session.user()
public struct Forge: Sendable {
    /// Where it is.
    public let host: ForgeHost
    let client: SignInClient
    let secret: Secret
    let transport: any HTTPTransport
    let context: ExchangeContext

    /// Makes a front door.
    ///
    /// - Parameters:
    ///   - host: Where Forge is.
    ///   - clientID: The identifier of the app at Forge.
    ///   - clientSecret: The app's secret, which Forge asks of every app, though none in an app is one: what protects a
    ///     sign-in is PKCE.
    ///   - redirectURI: Where answers come back to.
    ///   - userAgent: What shows the sign-in page.
    ///   - transport: What carries requests.
    ///   - store: What keeps the session.
    ///   - clock: The device's clocks.
    /// - Throws: `configuration` when the client identifier is empty.
    public init(
        host: ForgeHost,
        clientID: String,
        clientSecret: Secret,
        redirectURI: RedirectURI,
        userAgent: any UserAgent,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore,
        clock: DeviceClock = .system
    ) throws(SignInError) {
        self.host = host
        self.transport = transport
        secret = clientSecret
        context = ExchangeContext(clock: ServerClock(clock), random: { SecureRandom() })
        client = SignInClient(
            issuer: host.issuer,
            client: try Client(
                id: clientID,
                redirectURI: redirectURI,
                authentication: .clientSecretPost(clientSecret)
            ),
            server: host.server,
            userAgent: userAgent,
            transport: ForgeTransport(for: host, over: transport),
            store: store,
            clock: clock
        )
    }

    /// Asks a person to sign in.
    ///
    /// - Parameter scopes: What for. Default: to read who they are.
    /// - Throws: What went wrong and at which stage; a session from before is still stored then.
    public func signIn(scopes: [Scope] = [.readUser]) async throws(SignInError) -> ForgeSession {
        ForgeSession(try await client.signIn(AuthorizationRequest(scopes: scopes)), at: self)
    }

    /// The session that was stored, if there is one; nothing is sent.
    public func restoreSession() async throws(SignInError) -> ForgeSession? {
        try await client.restoreSession().map { ForgeSession($0, at: self) }
    }
}

extension Scope {
    /// To read who the person is.
    public static let readUser: Scope = "read:user"
    /// To read and write the person's snippets.
    public static let snippets: Scope = "snippet"
}
