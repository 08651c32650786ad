import Foundation
import HTTPTypes
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Recorders")
struct RecorderTests {
    /// A provider in this process, and a client whose requests are recorded.
    private struct World {
        static let issuer = "https://id.example.test"
        let clock = TestClock()
        let network: InProcessProvider
        let recorder: ExchangeRecorder
        let client: Client
        let secretName = "Alice Example"

        init(_ redaction: ExchangeRecorder.Redaction) throws {
            var random = SecureRandom()
            let redirectURI = try RedirectURI("com.example.app:/callback")
            let configuration = ProviderConfiguration(
                issuer: try Issuer(Self.issuer),
                clients: [
                    RegisteredClient(id: "app", name: "The app", redirectURIs: [redirectURI], requiresConsent: false)
                ],
                users: [
                    ProviderUser(
                        name: "alice",
                        passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                        subject: "user-alice",
                        claims: ["name": .string(secretName)]
                    )
                ],
                signingAlgorithms: [.es256],
                signingKeys: [try SigningKey.generate(.es256)]
            )
            let clock = clock
            network = InProcessProvider(
                provider: Provider(configuration: configuration, now: { clock.now }, random: SecureRandom())
            )
            recorder = ExchangeRecorder(redaction, head: ["server": "test"], clock: clock.device)
            client = try Client(id: "app", redirectURI: redirectURI)
        }

        /// Signs in, reads user info and refreshes, one command each.
        func use(
            _ transport: any HTTPTransport,
            _ userAgent: any UserAgent,
            clock: DeviceClock,
            random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() }
        ) async throws -> (subject: String?, name: String?, token: String) {
            let signIn = SignInClient(
                issuer: try Issuer(Self.issuer),
                client: client,
                userAgent: userAgent,
                transport: transport,
                store: MemoryStore(),
                clock: clock,
                random: random
            )
            recorder.begin(step: "sign in")
            let session = try await signIn.signIn()
            recorder.end(arguments: ["login"], answer: ["claims": .object(session.identity?.claims ?? [:])])
            let info = try await session.userInfo()
            try await session.refresh()
            return (
                session.identity?.subject, info.claims["name"]?.string,
                try await session.accessToken(minimumValidity: 0).reveal()
            )
        }

        func record() async throws -> (subject: String?, name: String?, token: String) {
            let pages = HTTPUserAgent(
                transport: recorder.transport(over: network),
                credentials: .init(name: "alice", password: Secret("wonderland"))
            )
            return try await use(
                recorder.transport(over: network),
                recorder.userAgent(over: pages),
                clock: clock.device
            )
        }
    }

    @Test("A recorded sign-in, user info and refresh can be replayed, with the same tokens")
    func replayed() async throws {
        let world = try World(.none)
        let recorded = try await world.record()
        let replay = Replay(try Recording(parsing: world.recorder.recording))
        let replayed = try await world.use(
            replay.transport,
            replay.userAgent,
            clock: replay.clock,
            random: replay.random
        )
        #expect(replayed == recorded && replayed.subject == "user-alice")
        #expect(replay.unansweredRequests.isEmpty)
    }

    @Test("A redacted recording holds no token, code, verifier, password or claim about the user")
    func redacted() async throws {
        let world = try World(.secrets)
        let recorded = try await world.record()
        let text = String(decoding: world.recorder.recording, as: UTF8.self)
        let sent = world.network.requests.flatMap { sent in
            ["code", "code_verifier", "refresh_token"].compactMap { sent.request.form[.init(rawValue: $0)] }
        }
        for secret in [recorded.token, "wonderland", world.secretName, "user-alice"] + sent {
            #expect(!text.contains(secret), "\(secret) is in the recording")
        }
        #expect(sent.count == 3)
        let recording = try Recording(parsing: world.recorder.recording)
        #expect(recording.steps.map(\.name) == ["sign in"])
        let codes = recording.exchanges.compactMap { $0.request.form["code"] }
        let redirect = try #require(recording.exchanges.first { $0.isBrowser }?.response?.fields[.location])
        #expect(codes.count == 1 && codes.allSatisfy { redirect.contains($0) && $0.hasPrefix("redacted-") })
    }

    @Test("A recording that is continued keeps its lines, and counts on")
    func continued() async throws {
        let world = try World(.none)
        let request = EndpointRequest(url: URL(string: World.issuer + "/.well-known/openid-configuration")!)
        _ = try await world.recorder.transport(over: world.network).send(request)
        let first = world.recorder.recording
        let second = try ExchangeRecorder(continuing: first, clock: world.clock.device)
        second.begin(step: "again")
        _ = try await second.transport(over: world.network).send(request)
        second.end(arguments: ["discover"], exit: 0)
        let recording = try Recording(parsing: second.recording)
        #expect(recording.exchanges.map(\.number) == [1, 2] && recording.steps.map(\.name) == ["again"])
        #expect(recording.exchanges.map(\.step) == [nil, "again"] && recording.head["server"] == "test")
        #expect(throws: RecordingError.self) { try ExchangeRecorder(continuing: Array("no recording".utf8)) }
    }
}
