import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
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
                provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
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
                configuration: SignInClient.Configuration(
                    userAgent: userAgent,
                    transport: transport,
                    store: MemoryStore(),
                    clock: clock,
                    random: random
                )
            )
            recorder.begin(step: "sign in")
            let session = try await signIn.signIn()
            recorder.end(arguments: ["login"], answer: ["claims": .object(session.identity?.claims ?? [:])])
            let info = try await session.userInfo()
            try await session.refresh()
            return (
                session.identity?.subject, info.claims["name"]?.string,
                try await session.accessToken(minimumValidity: .zero).reveal()
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

    /// A redacted recording's content of one exchange.
    private func redacted(
        _ request: EndpointRequest,
        _ response: EndpointResponse = EndpointResponse(status: .ok)
    ) async throws -> (text: String, exchange: Recording.Exchange) {
        let recorder = ExchangeRecorder(.secrets)
        _ = try await recorder.transport(over: OneAnswer(response: response)).send(request)
        let exchange = try #require(try Recording(parsing: recorder.recording).exchanges.first)
        return (String(decoding: recorder.recording, as: UTF8.self), exchange)
    }

    private struct OneAnswer: HTTPTransport {
        let response: EndpointResponse
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse { response }
    }

    private func json(_ object: JSONObject) -> EndpointResponse {
        EndpointResponse(status: .ok, fields: [.contentType: "application/json"], body: object.encoded())
    }

    @Test(
        "A URL is recorded without a value of the user or of an unknown name, in its query and in its fragment",
        arguments: [
            ("/authorize?client_id=app&login_hint=alice%40example.com", "/authorize?client_id=app&login_hint=redacted"),
            ("/authorize?claims=%7B%22sub%22%3A%22alice%22%7D&state=s", "/authorize?claims=redacted&state=s"),
            ("/cb?error=access_denied#access_token=secret", "/cb?error=access_denied#access_token=redacted-2bb80d53"),
            ("/cb#state=s&user=alice", "/cb#state=s&user=redacted"),
            ("/cb?secret", "/cb?redacted="),
            ("/cb?code=secret&state=%FF", "/cb"),
            ("/cb?state=s#code=secret&state=%FF", "/cb?state=s"),
            (
                "/.well-known/webfinger?resource=acct%3Aalice%40example.com&rel=r",
                "/.well-known/webfinger?resource=redacted&rel=r"
            ),
        ]
    )
    func redactedURL(_ url: String, _ written: String) async throws {
        let request = EndpointRequest(url: try #require(URL(string: World.issuer + url)))
        #expect(try await redacted(request).exchange.url.absoluteString == World.issuer + written)
        // As a redirect, too.
        let response = EndpointResponse(status: .seeOther, fields: [.location: World.issuer + url])
        let plain = EndpointRequest(url: try #require(URL(string: World.issuer)))
        #expect(try await redacted(plain, response).exchange.response?.fields[.location] == World.issuer + written)
    }

    @Test("A URL is recorded without its user info")
    func userInfo() async throws {
        let response = EndpointResponse(
            status: .seeOther,
            fields: [.location: "https://alice:secret@example.com/a?state=s"]
        )
        let plain = EndpointRequest(url: try #require(URL(string: World.issuer)))
        let location = try await redacted(plain, response).exchange.response?.fields[.location]
        #expect(location == "https://example.com/a?state=s")
    }

    @Test("A pushed request is recorded without the user's name")
    func pushed() async throws {
        let form = Parameters(["client_id": "app", "login_hint": "alice@example.com", "scope": "openid"])
        let url = try #require(URL(string: World.issuer + "/par"))
        let (text, exchange) = try await redacted(EndpointRequest(url: url, method: .post, form: form))
        #expect(!text.contains("alice"))
        #expect(exchange.request.form["client_id"] == "app" && exchange.request.form["scope"] == "openid")
        #expect(exchange.request.form["login_hint"] == "redacted")
    }

    @Test("The response to an introspection is recorded without a claim about the user, as user info is")
    func introspected() async throws {
        let url = try #require(URL(string: World.issuer + "/introspect"))
        let answer = json([
            "active": true, "scope": "openid", "username": "alice", "sub": "alice", "email": "alice@example.com",
            "address": ["locality": "alice's"], "balance": 4_711, "exp": 1_000,
        ])
        let (text, exchange) = try await redacted(EndpointRequest(url: url, method: .post), answer)
        #expect(!text.contains("alice") && !text.contains("4711"))
        let members = try JSONObject(parsing: try #require(exchange.response?.body))
        #expect(members["active"] == true && members["scope"] == "openid" && members["exp"] == 1_000)
        #expect(members["username"] == "redacted" && members["balance"] == "redacted")
        #expect(members["sub"]?.string?.hasPrefix("redacted-") == true)
    }

    @Test("A token response is recorded without the members that no specification names")
    func unknownMembers() async throws {
        let url = try #require(URL(string: World.issuer + "/token"))
        let answer = json([
            "access_token": "secret-1", "token_type": "Bearer", "expires_in": 60, "scope": "openid",
            "user": ["id": "secret-2"], "api_token": "secret-3", "secret-4": 1, "tokens": ["secret-5"],
        ])
        let (text, exchange) = try await redacted(EndpointRequest(url: url, method: .post), answer)
        #expect(!text.contains("secret-"))
        let members = try JSONObject(parsing: try #require(exchange.response?.body))
        #expect(members["token_type"] == "Bearer" && members["expires_in"] == 60)
        #expect(members["access_token"]?.string?.hasPrefix("redacted-") == true && members["user"] == "redacted")
    }

    @Test("A header field that is on no list is recorded without its value")
    func headerFields() async throws {
        var request = EndpointRequest(url: try #require(URL(string: World.issuer + "/api")))
        request.fields[try #require(.init("X-API-Key"))] = "secret"
        request.fields[.accept] = "application/json"
        let (text, exchange) = try await redacted(request)
        #expect(!text.contains("secret") && exchange.request.fields[.accept] == "application/json")
    }

    @Test("A public document of the server is recorded unchanged")
    func published() async throws {
        let url = try #require(URL(string: World.issuer + "/.well-known/openid-configuration"))
        let answer = json(["issuer": .string(World.issuer), "claims_supported": ["email"], "x": ["y": 1]])
        #expect(try await redacted(EndpointRequest(url: url), answer).exchange.response?.body == answer.body)
        var authorized = EndpointRequest(url: url)
        authorized.fields[.authorization] = "Bearer secret"
        let (text, exchange) = try await redacted(authorized, answer)
        #expect(exchange.response?.body != answer.body && !text.contains("secret"))
    }

    @Test("The answer of a command is recorded without the user's name, and its arguments without a query's secrets")
    func redactedAnswer() throws {
        let recorder = ExchangeRecorder(.secrets)
        recorder.begin(step: "1 login")
        recorder.end(
            arguments: ["request", "GET", "https://api.example.com/me?key=secret"],
            answer: [
                "ok": true, "sub": "alice", "accessToken": "secret",
                "sessions": [["subject": "alice", "signedIn": true, "profile": "alice"]],
                "claims": ["sub": "alice", "iss": "https://id.example.com"],
            ]
        )
        let text = String(decoding: recorder.recording, as: UTF8.self)
        #expect(!text.contains("alice") && !text.contains("secret"))
        let step = try #require(try Recording(parsing: recorder.recording).steps.first)
        #expect(step.answer?["ok"] == true && step.answer?["claims"]?.object?["iss"] == "https://id.example.com")
        #expect(step.arguments == ["request", "GET", "https://api.example.com/me?key=redacted"])
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
