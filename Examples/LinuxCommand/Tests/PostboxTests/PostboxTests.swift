import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryProvider
import OstiaryTesting
import Postbox
import Testing

@Suite("A command that is signed in")
struct PostboxTests {
    private static let issuer = "https://id.example"

    private let clock = TestClock()
    private let network: InProcessProvider
    private let store = MemoryStore()

    init() throws {
        var random = SecureRandom()
        let configuration = ProviderConfiguration(
            issuer: try Issuer(Self.issuer),
            clients: [
                RegisteredClient(
                    id: "postbox",
                    name: "Postbox",
                    redirectURIs: [try RedirectURI("com.example.postbox:/callback")],
                    requiresConsent: false
                )
            ],
            users: [
                ProviderUser(
                    name: "iris",
                    passwordHash: try PasswordHash(Secret("hope"), cost: .insecureForTests, using: &random),
                    subject: "4711",
                    claims: ["name": "Iris Gray"]
                )
            ],
            signingAlgorithms: [.es256]
        )
        let clock = clock
        network = InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
    }

    /// The command as one process runs it; with the next one it shares the store alone.
    private func run(_ word: Postbox.Word, password: String = "hope") async throws(SignInError) -> String {
        // Any place that takes the provider's tokens will do for letters.
        let letters = URL(string: Self.issuer + "/userinfo")!
        var policy = SessionPolicy()
        policy.resourceOrigins = [Origin(letters)!]
        let client = SignInClient(
            issuer: try Issuer(Self.issuer),
            client: try Client(id: "postbox", redirectURI: try RedirectURI("com.example.postbox:/callback")),
            configuration: SignInClient.Configuration(
                userAgent: HTTPUserAgent(
                    transport: network,
                    credentials: .init(name: "iris", password: Secret(password))
                ),
                transport: network,
                store: store,
                policy: policy,
                clock: clock.device
            )
        )
        return try await Postbox(client: client, letters: letters).run(word)
    }

    @Test("A sign-in is kept, so that a later command shows no sign-in page")
    func signIn() async throws {
        #expect(try await run(.signIn) == "You are Iris Gray.")
        #expect(try await run(.who) == "You are Iris Gray.")
        #expect(network.count(path: "/authorize") == 1 && network.count(path: "/token") == 1)
    }

    @Test("A token that has expired is refreshed on the way")
    func letters() async throws {
        _ = try await run(.signIn)
        clock.advance(by: .seconds(7200))
        #expect(try await run(.letters).contains("4711"))
        #expect(network.count(path: "/token") == 2)
    }

    @Test("Without a session every command but sign-in fails with signInRequired, and nothing is sent")
    func nobody() async throws {
        for word in Postbox.Word.allCases where word != .signIn {
            await #expect(throws: SignInError(.refresh, .signInRequired)) { try await run(word) }
        }
        #expect(network.requests.isEmpty)
    }

    @Test("A sign-in that fails leaves the earlier session signed in")
    func failedSignIn() async throws {
        _ = try await run(.signIn)
        let failed = try? await run(.signIn, password: "despair")
        #expect(failed == nil)
        #expect(try await run(.who) == "You are Iris Gray.")
    }

    @Test("Signing out ends the session here and at the provider")
    func signOut() async throws {
        _ = try await run(.signIn)
        #expect(try await run(.signOut) == "You are signed out.")
        #expect(network.count(path: "/revoke") == 1)
        await #expect(throws: SignInError(.refresh, .signInRequired)) { try await run(.who) }
    }
}
