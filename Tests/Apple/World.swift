#if canImport(Security)
    import Foundation
    import Ostiary
    import OstiaryOAuth
    import OstiaryProvider
    import OstiaryTesting

    /// One provider and one person, in this process, on one clock; what keeps a session is the device's.
    struct World: Sendable {
        static let issuer = "https://id.example.test"

        let clock: TestClock
        let provider: Provider
        let network: InProcessProvider

        init(
            scenario: Scenario = .none,
            client change: (inout RegisteredClient) -> Void = { _ in },
            provider changeProvider: (inout ProviderConfiguration) -> Void = { _ in },
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
            var configuration = ProviderConfiguration(
                issuer: try Issuer(Self.issuer),
                clients: [client],
                users: [try Self.alice()],
                signingAlgorithms: [.es256],
                signingKeys: [Self.key]
            )
            changeProvider(&configuration)
            provider = Provider(
                configuration: configuration,
                now: { clock.now },
                random: SecureRandom(),
                scenario: scenario
            )
            network = InProcessProvider(provider: provider)
        }

        static let key = try! SigningKey.generate(.es256, keyID: "world-key")

        static func alice() throws -> ProviderUser {
            var random = SecureRandom()
            return ProviderUser(
                name: "alice",
                passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                subject: "alice-subject",
                claims: ["name": "Alice"]
            )
        }

        /// A client on this world's network, whose person signs in as alice.
        func client(
            store: any SecretStore,
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
                userAgent: HTTPUserAgent(
                    transport: network,
                    credentials: .init(name: "alice", password: Secret("wonderland"))
                ),
                transport: network,
                store: store,
                clock: clock.device
            )
        }
    }

    /// The error that an asynchronous body throws.
    func failure(_ body: () async throws(SignInError) -> Void) async -> SignInError? {
        do throws(SignInError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }
#endif
