import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting

/// A provider and a person, for an app whose every declaration is the main actor's unless it says otherwise.
struct ConsumerWorld {
    let clock = TestClock()
    let network: InProcessProvider
    let person: HTTPUserAgent

    init() throws {
        var random = SecureRandom()
        let alice = ProviderUser(
            name: "alice",
            passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
            subject: "alice-subject"
        )
        let app = RegisteredClient(
            id: "app",
            name: "The app",
            redirectURIs: [try RedirectURI("com.example.app:/callback")],
            requiresConsent: false
        )
        let configuration = ProviderConfiguration(
            issuer: try Issuer("https://id.example.test"),
            clients: [app],
            users: [alice],
            signingAlgorithms: [.es256],
            signingKeys: [try SigningKey.generate(.es256, keyID: "key")]
        )
        let clock = clock
        let network = InProcessProvider(
            provider: Provider(configuration: configuration, now: { clock.now }, random: SecureRandom())
        )
        self.network = network
        person = HTTPUserAgent(
            transport: network,
            credentials: .init(name: "alice", password: Secret("wonderland")),
            now: { clock.now }
        )
    }
}
