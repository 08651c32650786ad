public import Ostiary
public import OstiaryAutomation
public import OstiaryOAuth
public import OstiaryProvider
public import OstiaryTesting

/// One provider and one user, in this process, on one clock; what keeps a session is the test's.
public struct World: Sendable {
    public static let issuer = "https://id.example.test"

    private let world: TestWorld

    public var clock: TestClock { world.clock }
    public var provider: Provider { world.provider }
    public var network: InProcessProvider { world.network }
    /// Alice, going through the pages of this world's provider.
    public var person: HTTPUserAgent { world.userAgent() }

    public init(
        scenario: Scenario = .none,
        client change: (inout RegisteredClient) -> Void = { _ in },
        clock: TestClock = TestClock()
    ) throws {
        world = try TestWorld(scenario, clock: clock) { change(&$0.clients[0]) }
    }

    /// A client on this world's network, whose user signs in as alice.
    public func client(
        store: any SecretStore,
        userAgent: (any UserAgent)? = nil,
        authentication: ClientAuthentication = .none,
        senderConstraint: SenderConstraint = .none
    ) throws -> SignInClient {
        let description = try Client(
            id: "app",
            redirectURI: world.registration.redirectURI,
            authentication: authentication,
            senderConstraint: senderConstraint
        )
        return world.client(description) { configuration in
            configuration.store = store
            if let userAgent { configuration.userAgent = userAgent }
        }
    }
}
