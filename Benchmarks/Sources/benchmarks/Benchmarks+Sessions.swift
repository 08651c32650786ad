import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Synchronization

/// Reading the access token of a session without a refresh, and replacing one that was refused.
extension Benchmarks {
    static func readTokens() async throws {
        let session = try await signedIn(at: try network())
        let token = try await session.accessToken()
        let actor = TokenActor(token)
        let locked = Mutex((token: token, expiry: Date.distantFuture))
        let start = ContinuousClock.now
        Measurement.show(
            "Read a cached access token",
            try await Measurement.compare(
                iterations: 20_000,
                [
                    (
                        "a lock, with a look at the clock",
                        { precondition(locked.withLock { $0.expiry > Date() ? $0.token : nil } != nil) }
                    ),
                    // A session looks at both: the time may be set, and the uptime may have stood still.
                    (
                        "the time and the uptime, without a lock",
                        { precondition(Date() < .distantFuture && start.duration(to: .now) > .zero) }
                    ),
                    (
                        "an actor hop",
                        {
                            let token = await actor.token(at: Date())
                            precondition(token != nil)
                        }
                    ),
                    ("ostiary: session.accessToken()", { _ = try await session.accessToken() }),
                ]
            )
        )
    }

    /// Many tasks find the same token refused at once.
    static func refreshTokens() async throws {
        let network = try network()
        let session = try await signedIn(at: network)
        let callers = 1000
        let requests = Counter()
        Measurement.show(
            "Replace an access token that was refused",
            try await Measurement.compare(
                iterations: 3,
                [
                    ("one caller", { try await refresh(session, by: 1) }),
                    (
                        "\(callers) callers at once",
                        {
                            let before = network.requests.count
                            try await refresh(session, by: callers)
                            requests.note(network.requests.count - before)
                        }
                    ),
                ]
            )
        )
        print("  requests for \(callers) callers: \(requests.noted.sorted().map(String.init).joined(separator: ", "))")
    }

    private static func refresh(_ session: Session, by callers: Int) async throws {
        let refused = try await session.accessToken()
        try await withThrowingTaskGroup(of: Secret.self) { group in
            for _ in 0..<callers { group.addTask { try await session.accessToken(insteadOf: refused) } }
            let first = try await group.next()
            for try await token in group { precondition(token == first && token != refused) }
        }
    }

    private static func signedIn(at network: InProcessProvider) async throws -> Session {
        let client = SignInClient(
            issuer: network.provider.configuration.issuer,
            client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
            configuration: SignInClient.Configuration(
                userAgent: HTTPUserAgent(
                    transport: network,
                    credentials: .init(name: "alice", password: Secret("wonderland"))
                ),
                transport: network,
                store: MemoryStore()
            )
        )
        return try await client.signIn()
    }

    private static func network() throws -> InProcessProvider {
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
            clock: .system,
            random: SecureRandom()
        )
        return InProcessProvider(provider: provider)
    }
}

/// The number of requests of different rounds.
private final class Counter: Sendable {
    private let seen = Mutex<Set<Int>>([])
    var noted: Set<Int> { seen.withLock { $0 } }
    func note(_ count: Int) { _ = seen.withLock { $0.insert(count) } }
}

private actor TokenActor {
    private let token: Secret
    private let expiry = Date.distantFuture

    init(_ token: Secret) { self.token = token }

    func token(at now: Date) -> Secret? { expiry > now ? token : nil }
}
