import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import ProviderServer

/// A provider and a store in this process, on a clock that is moved by hand.
struct ProviderInProcess {
    let clock = TestClock()
    let network: InProcessProvider
    let store = MemoryStore()

    init(
        scenario: Scenario = .none,
        lifetimes: ProviderConfiguration.Lifetimes = .init()
    ) async throws {
        var random = SecureRandom()
        let development = try DevelopmentProvider(
            password: Secret(TestProvider.password),
            cost: .insecureForTests,
            using: &random
        )
        var configuration = try development.configuration(for: try Issuer("https://id.example.test"))
        configuration.signingAlgorithms = [.es256]
        configuration.lifetimes = lifetimes
        let provider = Provider(
            configuration: configuration,
            clock: clock.device,
            random: SecureRandom(),
            scenario: scenario
        )
        try await provider.prepare()
        network = InProcessProvider(provider: provider)
    }

    /// A client of the provider and the store, whose user signs in without looking.
    ///
    /// - Parameters:
    ///   - device: Default: a device whose clock is right.
    ///   - transport: Default: the network.
    func client(device: DeviceClock? = nil, transport: (any HTTPTransport)? = nil) throws -> SignInClient {
        SignInClient(
            issuer: network.provider.configuration.issuer,
            client: try Client(
                id: DevelopmentProvider.appClientID,
                redirectURI: try RedirectURI("http://127.0.0.1/callback")
            ),
            configuration: SignInClient.Configuration(
                userAgent: HTTPUserAgent(
                    transport: network,
                    credentials: .init(name: DevelopmentProvider.userName, password: Secret(TestProvider.password)),
                    clock: clock.device
                ),
                transport: transport ?? network,
                store: store,
                clock: device ?? clock.device
            )
        )
    }

    /// Signs a user in for as long as they like.
    func signIn(device: DeviceClock? = nil) async throws -> Session {
        try await client(device: device).signIn(AuthorizationRequest(scopes: [.openID, .offlineAccess]))
    }
}
