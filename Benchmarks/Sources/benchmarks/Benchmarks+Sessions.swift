import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Synchronization

/// Reading the access token of a session that lasts.
extension Benchmarks {
    static func readTokens() async throws {
        let session = try await signedIn()
        let token = try await session.accessToken()
        let actor = TokenActor(token)
        let locked = Mutex((token: token, expiry: Date.distantFuture))
        Measurement.show(
            "Read a cached access token",
            try await Measurement.compare(
                iterations: 20_000,
                [
                    (
                        "a lock, with a look at the clock",
                        { precondition(locked.withLock { $0.expiry > Date() ? $0.token : nil } != nil) }
                    ),
                    ("an actor hop", { precondition(await actor.token(at: Date()) != nil) }),
                    ("ostiary: session.accessToken()", { _ = try await session.accessToken() }),
                ]
            )
        )
    }

    private static func signedIn() async throws -> Session {
        let issuer = try Issuer("https://id.example.test")
        var random = SecureRandom()
        let password = try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
        let provider = Provider(
            configuration: ProviderConfiguration(
                issuer: issuer,
                clients: [
                    RegisteredClient(
                        id: "app",
                        name: "The app",
                        redirectURIs: [try RedirectURI("com.example.app:/callback")],
                        requiresConsent: false
                    )
                ],
                users: [ProviderUser(name: "alice", passwordHash: password, subject: "alice-subject", claims: [:])],
                signingAlgorithms: [.es256],
                signingKeys: [try SigningKey.generate(.es256, keyID: "key")]
            ),
            now: { Date() },
            random: SecureRandom()
        )
        let network = InProcessProvider(provider: provider)
        let client = SignInClient(
            issuer: issuer,
            client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
            userAgent: HTTPUserAgent(
                transport: network,
                credentials: .init(name: "alice", password: Secret("wonderland"))
            ),
            transport: network
        )
        return try await client.signIn()
    }
}

private actor TokenActor {
    private let token: Secret
    private let expiry = Date.distantFuture

    init(_ token: Secret) { self.token = token }

    func token(at now: Date) -> Secret? { expiry > now ? token : nil }
}
