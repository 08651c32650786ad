public import Ostiary

/// Signs users in at a Forge, and restores their sessions.
///
///     let forge = try Forge(
///         host: ForgeHost("https://forge.example"), clientID: "…", clientSecret: secret,
///         redirectURI: RedirectURI("com.example.app://callback"), userAgent: browser, store: store)
///     let session = try await forge.signIn()
///     let user = try await session.user()
public struct Forge: Sendable {
    /// The server's address.
    public let host: ForgeHost
    let client: SignInClient
    let secret: Secret
    let transport: any HTTPTransport
    let context: ExchangeContext

    /// Makes a front door.
    ///
    /// - Parameters:
    ///   - host: The server's address.
    ///   - clientID: The identifier of the app at Forge.
    ///   - clientSecret: The app's secret, which Forge requires although every user of the app can read it. PKCE
    ///     protects the sign-in.
    ///   - redirectURI: The URI to which Forge redirects the user.
    ///   - userAgent: The user agent that presents the sign-in page.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the session.
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
            configuration: SignInClient.Configuration(
                server: host.server,
                userAgent: userAgent,
                transport: ForgeTransport(for: host, over: transport),
                store: store,
                clock: clock
            )
        )
    }

    /// Signs the user in.
    ///
    /// - Parameter scopes: The requested scopes. Default: the user's profile.
    /// - Returns: The session, already stored.
    /// - Throws: The error and its stage; an earlier session stays stored.
    public func signIn(scopes: [Scope] = [.readUser]) async throws(SignInError) -> ForgeSession {
        ForgeSession(try await client.signIn(AuthorizationRequest(scopes: scopes)), at: self)
    }

    /// Returns the stored session, if there is one; sends nothing.
    public func restoreSession() async throws(SignInError) -> ForgeSession? {
        try await client.restoreSession().map { ForgeSession($0, at: self) }
    }
}

extension Scope {
    /// Reads the user's profile.
    public static let readUser: Scope = "read:user"
    /// Reads and writes the user's snippets.
    public static let snippets: Scope = "snippet"
}
