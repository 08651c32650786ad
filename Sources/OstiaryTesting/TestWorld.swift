public import Ostiary
public import OstiaryAutomation
public import OstiaryOAuth
public import OstiaryProvider

/// A provider with one client and one user, and clients that sign her in: a whole sign-in in one process, on one clock.
///
///     let world = try TestWorld(.invalidNonce)
///     let client = world.client()
///     await #expect(throws: SignInError(.identity, .mismatch(.nonce))) { try await client.signIn() }
///
/// The client is `app` with the redirect URI `com.example.app:/callback`; the user is `alice`, whose password is
/// `wonderland` and whose subject is `alice-subject`. Nothing takes time: ``clock`` moves when a test moves it.
public struct TestWorld: Sendable {
    /// The time of the provider and of the clients.
    public let clock: TestClock
    /// The network, on which the provider is the only server.
    public let network: InProcessProvider
    /// The store of the clients.
    public let store: FaultyStore
    /// The registered client, as the client describes itself.
    public let registration: Client

    /// The provider.
    public var provider: Provider { network.provider }

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - scenario: A fault of the provider. Default: none.
    ///   - clock: The clock. Default: one of its own.
    ///   - change: Changes the provider's configuration before it starts.
    /// - Throws: `configuration` when an issuer or a redirect URI is not one, or no key can be made.
    public init(
        _ scenario: Scenario = .none,
        clock: TestClock = TestClock(),
        provider change: (inout ProviderConfiguration) throws -> Void = { _ in }
    ) throws {
        var configuration = try Self.configuration()
        try change(&configuration)
        let provider = Provider(
            configuration: configuration,
            clock: clock.device,
            random: SecureRandom(),
            scenario: scenario
        )
        self.clock = clock
        network = InProcessProvider(provider: provider)
        store = FaultyStore()
        registration = try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback"))
    }

    /// The provider's configuration, unless a world changes it.
    private static func configuration() throws -> ProviderConfiguration {
        var random = SecureRandom()
        let app = RegisteredClient(
            id: "app",
            name: "The app",
            redirectURIs: [try RedirectURI("com.example.app:/callback")],
            postLogoutRedirectURIs: [try RedirectURI("com.example.app:/bye")],
            requiresConsent: false
        )
        let alice = ProviderUser(
            name: "alice",
            passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
            subject: "alice-subject",
            claims: ["name": "Alice", "email": "alice@example.test"]
        )
        return ProviderConfiguration(
            issuer: try Issuer("https://id.example.test"),
            clients: [app],
            users: [alice],
            signingAlgorithms: [.es256]
        )
    }

    /// A user agent that signs a user in on the provider's own page.
    ///
    /// - Parameters:
    ///   - name: The user's name. Default: `alice`.
    ///   - password: The typed password. Default: alice's password.
    ///   - oneTimePassword: The user's authenticator app, for a user who has one. Default: none.
    /// - Returns: The user agent.
    public func userAgent(
        for name: String = "alice",
        password: String = "wonderland",
        oneTimePassword: OneTimePassword? = nil
    ) -> HTTPUserAgent {
        let clock = clock
        var credentials = HTTPUserAgent.Credentials(name: name, password: Secret(password))
        if let oneTimePassword {
            credentials.oneTimePassword = { oneTimePassword.code(at: clock.device.now()) }
        }
        return HTTPUserAgent(
            transport: network,
            credentials: credentials,
            clock: clock.device
        )
    }

    /// Makes a client of this provider, which shares the store with the others of this world.
    ///
    /// - Parameters:
    ///   - description: The client's description of itself. Default: ``registration``.
    ///   - change: Changes the parts that it works with: user agent, transport, store, policy, clock, events.
    /// - Returns: The client.
    public func client(
        _ description: Client? = nil,
        _ change: (inout SignInClient.Configuration) -> Void = { _ in }
    ) -> SignInClient {
        var configuration = SignInClient.Configuration(
            userAgent: userAgent(),
            transport: network,
            store: store,
            clock: clock.device
        )
        change(&configuration)
        return SignInClient(
            issuer: provider.configuration.issuer,
            client: description ?? registration,
            configuration: configuration
        )
    }
}
