#if canImport(SwiftUI)
    public import OstiaryAutomation
    public import Ostiary
    public import OstiaryOAuth
    public import OstiarySwiftUI
    public import OstiaryTesting

    /// A world whose app has a sign-in model.
    public struct SwiftUIWorld {
        public let world: World
        public let store: FaultyStore
        public let redirects = ForwardedRedirects()

        public init() throws {
            world = try World()
            store = FaultyStore(MemoryStore())
        }

        public var clock: TestClock { world.clock }
        public var network: InProcessProvider { world.network }
        public var person: HTTPUserAgent { world.person }

        public func client(_ userAgent: (any UserAgent)? = nil) throws -> SignInClient {
            try world.client(store: store, userAgent: userAgent)
        }

        @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
        @MainActor public func model(_ userAgent: (any UserAgent)? = nil) throws -> SignInModel<Session> {
            SignInModel(SignInSource(try client(userAgent), redirects: redirects))
        }
    }

    /// A source whose every step a test decides.
    public final class Steps: Sendable {
        public let source: SignInSource<String>
        public let signIns: AsyncStream<Result<String, SignInError>>.Continuation
        public let changes: AsyncStream<SignInSource<String>.Change>.Continuation

        public init(
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
