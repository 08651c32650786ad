import Foundation
public import Ostiary
public import OstiaryAutomation
import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider
public import OstiaryTesting

/// One provider and one person, in this process, on one clock; what keeps a session is the test's.
public struct World: Sendable {
    public static let issuer = "https://id.example.test"

    public let clock: TestClock
    public let provider: Provider
    public let network: InProcessProvider

    public init(
        scenario: Scenario = .none,
        client change: (inout RegisteredClient) -> Void = { _ in },
        clock: TestClock = TestClock()
    ) throws {
        self.clock = clock
        var client = RegisteredClient(
            id: "app",
            name: "The app",
            redirectURIs: [try RedirectURI("com.example.app:/callback")],
            requiresConsent: false
        )
        change(&client)
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [client],
            users: [try Self.alice()],
            signingAlgorithms: [.es256],
            signingKeys: [try SigningKey.generate(.es256, keyID: "world-key")]
        )
        provider = Provider(
            configuration: configuration,
            clock: clock.device,
            random: SecureRandom(),
            scenario: scenario
        )
        network = InProcessProvider(provider: provider)
    }

    /// Alice, who signs in with a password.
    public static func alice() throws -> ProviderUser {
        var random = SecureRandom()
        return ProviderUser(
            name: "alice",
            passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
            subject: "alice-subject",
            claims: ["name": "Alice"]
        )
    }

    /// Alice, going through the pages of this world's provider.
    public var person: HTTPUserAgent {
        HTTPUserAgent(
            transport: network,
            credentials: .init(name: "alice", password: Secret("wonderland")),
            clock: clock.device
        )
    }

    /// A client on this world's network, whose person signs in as alice.
    public func client(
        store: any SecretStore,
        userAgent: (any UserAgent)? = nil,
        authentication: ClientAuthentication = .none,
        senderConstraint: SenderConstraint = .none
    ) throws -> SignInClient {
        SignInClient(
            issuer: try Issuer(Self.issuer),
            client: try Client(
                id: "app",
                redirectURI: try RedirectURI("com.example.app:/callback"),
                authentication: authentication,
                senderConstraint: senderConstraint
            ),
            configuration: SignInClient.Configuration(
                userAgent: userAgent ?? person,
                transport: network,
                store: store,
                clock: clock.device
            )
        )
    }
}
