import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting

/// One provider, one client and one user, in this process, on one clock.
struct World: Sendable {
    static let issuer = "https://id.example.test"

    let clock: TestClock
    let provider: Provider
    let network: InProcessProvider
    let store: FaultyStore
    let events = Recorder()

    init(
        scenario: Scenario = .none,
        lifetimes: ProviderConfiguration.Lifetimes = .init(),
        client change: (inout RegisteredClient) -> Void = { _ in },
        provider changeProvider: (inout ProviderConfiguration) -> Void = { _ in },
        clock: TestClock = TestClock()
    ) throws {
        let world = try TestWorld(scenario, clock: clock) { configuration in
            configuration.lifetimes = lifetimes
            configuration.signingKeys = [Self.key]
            configuration.users = [Self.alice]
            change(&configuration.clients[0])
            changeProvider(&configuration)
        }
        self.clock = clock
        (provider, network, store) = (world.provider, world.network, world.store)
    }

    static let key = try! SigningKey.generate(.es256, keyID: "world-key")
    static let wonderland: PasswordHash = {
        var random = SecureRandom()
        return try! PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
    }()
    static let alice = ProviderUser(
        name: "alice",
        passwordHash: wonderland,
        subject: "alice-subject",
        claims: ["name": "Alice", "email": "alice@example.test"]
    )

    /// A client on this world's network, whose user signs in as alice.
    func client(
        password: String = "wonderland",
        redirectURI: String = "com.example.app:/callback",
        userAgent: (any UserAgent)? = nil,
        validation: Client.ValidationPolicy = Client.ValidationPolicy(),
        policy: SessionPolicy = SessionPolicy(),
        transport: (any HTTPTransport)? = nil,
        store: (any SecretStore)? = nil,
        authentication: ClientAuthentication = .none,
        senderConstraint: SenderConstraint = .none,
        profile: SecurityProfile = .standard,
        device: DeviceClock? = nil,
        backgroundTime: any BackgroundTime = SystemBackgroundTime()
    ) throws -> SignInClient {
        let clock = clock
        let events = events
        return SignInClient(
            issuer: try Issuer(Self.issuer),
            client: try Client(
                id: "app",
                redirectURI: try RedirectURI(redirectURI),
                authentication: authentication,
                validation: validation,
                senderConstraint: senderConstraint,
                profile: profile
            ),
            configuration: SignInClient.Configuration(
                userAgent: userAgent ?? person(password: password),
                transport: transport ?? network,
                store: store ?? self.store,
                policy: policy,
                clock: device ?? clock.device,
                backgroundTime: backgroundTime,
                events: { events.add($0) }
            )
        )
    }

    /// Removes what clients have learned of the issuer: the next one begins without metadata and keys.
    func forgetLearnedFacts() async throws {
        try await store.inner.remove(.learned(issuer: Issuer(Self.issuer), clientID: "app"))
    }

    /// Allows what a device asks for, on another device; no redirect ever comes there.
    func allow(_ pending: PendingDeviceAuthorization) async {
        guard let page = pending.completeVerificationURI.flatMap(URL.init(string:)),
            let attempt = try? await person().attempt(awaiting: try! RedirectURI("com.example.app:/callback"))
        else { return }
        _ = try? await attempt.open(page, accepting: .any)
    }

    func person(_ name: String = "alice", password: String = "wonderland") -> HTTPUserAgent {
        HTTPUserAgent(transport: network, credentials: .init(name: name, password: Secret(password)))
    }

    /// The store as another process finds it: it shares nothing with the clients of this one but values and locks.
    var storeOfAnotherProcess: any SecretStore { StoreOfAnotherProcess(store) }

    /// A user beside alice, for the provider's configuration.
    static let bob = ProviderUser(
        name: "bob",
        passwordHash: wonderland,
        subject: "bob-subject",
        claims: ["name": "Bob"]
    )
}

/// The events, in order.
final class Recorder: Sendable {
    private let list = Lock<[SignInEvent]>([])
    func add(_ event: SignInEvent) { list.withLock { $0.append(event) } }
    var events: [SignInEvent] { list.withLock { $0 } }
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
