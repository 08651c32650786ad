#if canImport(SwiftUI)
    import Foundation
    import OstiaryOAuth
    import OstiaryProvider
    import OstiarySwiftUI
    import OstiaryTesting

    /// A provider, a person and an app, in this process, on one clock.
    struct SwiftUIWorld {
        static let issuer = "https://id.example.test"

        let clock = TestClock()
        let network: InProcessProvider
        let store: FaultyStore
        let redirects = ForwardedRedirects()

        init() throws {
            var random = SecureRandom()
            let alice = ProviderUser(
                name: "alice",
                passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                subject: "alice-subject",
                claims: ["name": "Alice"]
            )
            let app = RegisteredClient(
                id: "app",
                name: "The app",
                redirectURIs: [try RedirectURI("com.example.app:/callback")],
                requiresConsent: false
            )
            let configuration = ProviderConfiguration(
                issuer: try Issuer(Self.issuer),
                clients: [app],
                users: [alice],
                signingAlgorithms: [.es256],
                signingKeys: [try SigningKey.generate(.es256, keyID: "key")]
            )
            let clock = clock
            network = InProcessProvider(
                provider: Provider(configuration: configuration, now: { clock.now }, random: SecureRandom())
            )
            store = FaultyStore(MemoryStore())
        }

        var person: HTTPUserAgent {
            HTTPUserAgent(
                transport: network,
                credentials: .init(name: "alice", password: Secret("wonderland")),
                now: { [clock] in clock.now }
            )
        }

        func client(_ userAgent: (any UserAgent)? = nil) throws -> SignInClient {
            SignInClient(
                issuer: try Issuer(Self.issuer),
                client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
                userAgent: userAgent ?? person,
                transport: network,
                store: store,
                clock: clock.device
            )
        }

        @MainActor func model(_ userAgent: (any UserAgent)? = nil) throws -> SignInModel<Session> {
            let source = SignInSource(try client(userAgent), redirects: redirects)
            return SignInModel(source)
        }
    }

    /// The first element of a stream.
    func first<Element: Sendable>(of stream: AsyncStream<Element>) async -> Element? {
        for await element in stream { return element }
        return nil
    }

    /// A source whose every step a test decides.
    final class Steps: Sendable {
        let source: SignInSource<String>
        let signIns: AsyncStream<Result<String, SignInError>>.Continuation
        let changes: AsyncStream<SignInSource<String>.Change>.Continuation

        init(
            restore: @escaping @Sendable () async throws -> String? = { nil },
            signOut: @escaping @Sendable (String) async throws -> Void = { _ in }
        ) {
            let (signIns, answers) = AsyncStream<Result<String, SignInError>>.makeStream()
            let (changes, told) = AsyncStream<SignInSource<String>.Change>.makeStream()
            self.signIns = answers
            self.changes = told
            source = SignInSource(
                restore: restore,
                signIn: {
                    for await answer in signIns { return try answer.get() }
                    throw CancellationError()
                },
                signOut: signOut,
                changes: { _ in changes }
            )
        }
    }
#endif
