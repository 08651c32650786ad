import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryLogi
import OstiaryLogiServer
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("logi: a backend that signs its app's users in", .timeLimit(.minutes(5)))
struct LogiServerTests {
    private static let thief = try! SigningKey.generate(.es256)

    /// A sign-in that the user has agreed to.
    private func callback(_ partner: LogiPartner, _ start: LogiStartURL) async throws -> LogiCallback {
        try await partner.world.logi(opener: partner.world.nativeApp()).authorize(start)
    }

    private func signedIn(_ partner: LogiPartner) async throws -> String {
        let answer = try await partner.finish(try await callback(partner, try await partner.start()))
        #expect(answer.status == 200)
        return try #require(answer.object["session"]?.string)
    }

    @Test(
        "The start URL pair differs in the host alone, and contains no key and no session",
        .covers(.logi, rows: 18, 58)
    )
    func pair() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let object = try await partner.startAnswer().object
        let web = try #require(object["start_url"]?.string)
        let native = try #require(object["native_start_url"]?.string)
        #expect(native == web.replacing("https://api.1pass.dev/", with: "https://open.1pass.dev/"))
        #expect(object["expires_in"] == 600)
        #expect(!web.contains(LogiPartner.appKey.publicKey.thumbprint()))
        let query = FormURLEncoding.decode(URL(string: web)?.query(percentEncoded: true) ?? "") ?? Parameters()
        #expect(query[.state] == object["state"]?.string && query[.codeChallengeMethod] == "S256")
    }

    @Test(
        "The app gets a session handle and no token, and the backend stores the tokens sealed",
        .covers(.logi, rows: 17, 18, 58)
    )
    func session() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let handle = try await signedIn(partner)
        let session = try await partner.session(handle)
        #expect(!session.subject.isEmpty)
        let token = try await partner.backend.sessions.accessToken(of: session)
        #expect(!token.isEmpty)
        let record = try #require(
            try await partner.store.session(partner.id(of: handle), now: partner.world.clock.now)
        )
        let sealed = String(decoding: record.sealed, as: UTF8.self)
        #expect(!sealed.contains(token.reveal()) && record.keyThumbprint == LogiPartner.appKey.publicKey.thumbprint())
    }

    @Test(
        "A session of one issuer or client is not found by another that shares store and keys",
        arguments: [("https://other.example.com", LogiDevelopment.backendClientID), (nil, "another-client")]
            as [(String?, String)]
    )
    func otherSessions(_ issuer: String?, _ clientID: String) async throws {
        let sealing = try SealingKeys(.random())
        let partner = try LogiPartner(try LogiWorld(), sealing: sealing)
        let handle = try await signedIn(partner)
        let session = try await partner.session(handle)
        #expect(session.issuer == partner.world.issuer)
        let source = try KeySource(
            issuer: try Issuer(issuer ?? partner.world.issuer),
            transport: partner.wire,
            clock: partner.world.clock.device
        )
        let others = ServerSessions(
            client: try Client(id: clientID, redirectURI: RedirectURI(LogiWorld.redirectURI)),
            keys: source,
            store: partner.store,
            sealing: sealing,
            dpop: try ProofChecking(origins: [ExternalOrigin(LogiPartner.origin)], replays: partner.store),
            transport: partner.wire,
            clock: partner.world.clock.device
        )
        let request = ServerRequest(
            target: "/me",
            fields: [
                .authorization: "DPoP " + handle, .dpop: partner.proof("/me", method: "GET", token: handle),
            ]
        )
        do throws(SessionRefusal) {
            _ = try await others.session(of: request)
            Issue.record("Another client's or issuer's session was accepted.")
        } catch {
            #expect(error.reason == .ended)
        }
        // Nor does the session's own value open its tokens there, and nothing of it is lost.
        await #expect(throws: SignInError.self) { try await others.accessToken(of: session) }
        #expect(try await partner.session(handle).subject == session.subject)
        #expect(try await !partner.backend.sessions.accessToken(of: session).isEmpty)
    }

    @Test(
        "A sign-in finished with another key is rejected, and its own key still finishes it",
        .covers(.logi, rows: 18, 58)
    )
    func fixation() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let callback = try await callback(partner, try await partner.start())
        let stolen = try await partner.finish(callback, by: Self.thief)
        #expect(stolen.status == 400 && stolen.object == ["error": "invalid_grant"])
        #expect(partner.world.network.count(path: "/oauth/token") == 0)
        #expect(try await partner.finish(callback).status == 200)
    }

    @Test("A victim's key cannot finish a sign-in that an attacker started", .covers(.logi, rows: 18, 58))
    func crossUser() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let attackers = try await callback(partner, try await partner.start(by: Self.thief))
        #expect(try await partner.finish(attackers).object == ["error": "invalid_grant"])
    }

    @Test("Every step of a sign-in requires a fresh DPoP proof for its path", .covers(.logi, rows: 18, 58))
    func proofs() async throws {
        let partner = try LogiPartner(try LogiWorld())
        #expect(try await partner.startAnswer(proofs: []).status == 401)
        let proof = partner.proof("/auth/start")
        #expect(try await partner.startAnswer(proofs: [proof]).status == 200)
        #expect(try await partner.startAnswer(proofs: [proof]).status == 401)
        #expect(try await partner.startAnswer(proofs: [partner.proof("/auth/finish")]).status == 401)
    }

    @Test("A repeated finish request gets the same response, and the code is redeemed once", .covers(.logi, rows: 58))
    func repeated() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let callback = try await callback(partner, try await partner.start())
        let first = try await partner.finish(callback)
        let second = try await partner.finish(callback)
        #expect(first.status == 200 && first.object == second.object)
        #expect(partner.world.network.count(path: "/oauth/token") == 1)
    }

    @Test(
        "A finish request with a missing or malformed member is rejected, and no code is redeemed",
        .covers(.logi, rows: 58),
        arguments: [
            ("code", nil), ("code", ""), ("code", 1), ("state", nil), ("state", ""), ("iss", 1), ("iss", .null),
            ("redirect_uri", "myapp://evil"), ("code", .string(String(repeating: "c", count: 4097))),
        ] as [(String, JSONValue?)]
    )
    func strict(_ name: String, _ value: JSONValue?) async throws {
        let partner = try LogiPartner(try LogiWorld())
        var body: JSONObject = ["code": "c", "state": "s"]
        body[name] = value
        let response = await partner.backend.signIn.finish.respond(
            to: ServerRequest(
                method: .post,
                target: "/auth/finish",
                fields: [.contentType: "application/json", .dpop: partner.proof("/auth/finish")],
                body: body.encoded()
            )
        )
        #expect(response.status == .badRequest)
        #expect(try JSONObject(parsing: response.body) == ["error": "invalid_request"])
    }

    @Test(
        "A finish request with another issuer's iss is rejected, and no code is redeemed",
        .covers(.logi, rows: 8, 58)
    )
    func issuer() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let callback = try await callback(partner, try await partner.start())
        let answer = try await partner.finish(
            code: callback.code.reveal(),
            state: callback.state.reveal(),
            more: ["iss": "https://evil.example"]
        )
        #expect(answer.object == ["error": "invalid_grant"])
        #expect(partner.world.network.count(path: "/oauth/token") == 0)
    }

    @Test("A sign-in expires after ten minutes", .covers(.logi, rows: 58))
    func tooOld() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let start = try await partner.start()
        let callback = try await callback(partner, start)
        partner.world.clock.advance(by: .seconds(601))
        #expect(try await partner.finish(callback).object == ["error": "invalid_grant"])
    }

    @Test(
        "A handle without its key is rejected, and a request without a handle is challenged",
        .covers(.logi, rows: 58)
    )
    func handle() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let handle = try await signedIn(partner)
        func refusal(_ body: () async throws -> ServerSession) async -> SessionRefusal? {
            do {
                _ = try await body()
                return nil
            } catch {
                return error as? SessionRefusal
            }
        }
        let stolen = await refusal { try await partner.session(handle, by: Self.thief) }
        #expect(stolen?.reason == .otherKey && stolen?.response.status == .unauthorized)
        let unknown = await refusal { try await partner.session("unknown") }
        #expect(unknown?.reason == .ended && unknown?.response.fields == stolen?.response.fields)
        let none = await refusal { try await partner.backend.sessions.session(of: ServerRequest(target: "/me")) }
        #expect(none?.reason == .noHandle)
        #expect(none?.response.fields[.wwwAuthenticate]?.hasPrefix("DPoP algs=") == true)
    }

    @Test("Concurrent callers at two instances refresh the session once", .covers(.logi, rows: 33, 58))
    func refresh() async throws {
        let world = try LogiWorld()
        let clock = world.clock
        let store = MemoryServerStore()
        let sealing = SealingKeys(try .random())
        let device = DeviceClock(now: { clock.now }, uptime: { 0 }, sleep: { _ in await Task.yield() })
        let first = try LogiPartner(world, store: store, sealing: sealing, clock: device)
        let second = try LogiPartner(world, store: store, sealing: sealing, clock: device)
        let handle = try await signedIn(first)
        let session = try await first.session(handle)
        let old = try await first.backend.sessions.accessToken(of: session)
        clock.advance(by: .seconds(3600))
        let before = world.network.count(path: "/oauth/token")
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for number in 0..<20 {
                let partner = number % 2 == 0 ? first : second
                group.addTask { try await partner.backend.sessions.accessToken(of: session) }
            }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && tokens.first != old)
        #expect(world.network.count(path: "/oauth/token") == before + 1)
    }

    @Test("A token with a lifetime of a minute is refreshed when half of it is over", .covers(.logi, rows: 32))
    func shortLived() async throws {
        let partner = try LogiPartner(try LogiWorld { $0.lifetimes.accessToken = .seconds(60) })
        let session = try await partner.session(try await signedIn(partner))
        let token = try await partner.backend.sessions.accessToken(of: session)
        partner.world.clock.advance(by: .seconds(29))
        #expect(try await partner.backend.sessions.accessToken(of: session) == token)
        partner.world.clock.advance(by: .seconds(2))
        #expect(try await partner.backend.sessions.accessToken(of: session) != token)
    }

    @Test(
        "A lost refresh response ends the session, and the refresh token is not sent again",
        .covers(.logi, rows: 32, 58)
    )
    func lostRefresh() async throws {
        let partner = try LogiPartner(try LogiWorld())
        let session = try await partner.session(try await signedIn(partner))
        partner.world.clock.advance(by: .seconds(3600))
        let before = partner.world.network.count(path: "/oauth/token")
        partner.world.network.lose(to: "/oauth/token", .afterProcessing)
        func failure() async -> SignInError.Reason? {
            do throws(SignInError) {
                _ = try await partner.backend.sessions.accessToken(of: session)
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(await failure() == .transport(.interrupted))
        #expect(await failure() == .signInRequired)
        #expect(partner.world.network.count(path: "/oauth/token") == before + 1)
    }

    /// The sessions of a partner, with a lost refresh repeated.
    private func repeating(_ partner: LogiPartner, _ sealing: SealingKeys) throws -> ServerSessions {
        ServerSessions(
            client: try Client(
                id: LogiDevelopment.backendClientID,
                redirectURI: RedirectURI(LogiWorld.redirectURI),
                authentication: .clientSecretPost(LogiWorld.backendSecret)
            ),
            keys: partner.backend.keys,
            store: partner.store,
            sealing: sealing,
            dpop: try ProofChecking(origins: [ExternalOrigin(LogiPartner.origin)], replays: partner.store),
            lostRefresh: .isRepeated,
            transport: partner.wire,
            clock: partner.world.clock.device
        )
    }

    @Test(
        "Where a lost refresh may be repeated, the session stays, and the refresh token is presented again",
        arguments: [TransportFailure.timedOut, .interrupted],
        [InProcessProvider.LossMoment.beforeProcessing, .afterProcessing]
    )
    func repeatedRefresh(_ failure: TransportFailure, _ moment: InProcessProvider.LossMoment) async throws {
        let sealing = try SealingKeys(.random())
        let world = try LogiWorld(scenario: .noRotation)
        let partner = try LogiPartner(world, sealing: sealing)
        let session = try await partner.session(try await signedIn(partner))
        let sessions = try repeating(partner, sealing)
        world.clock.advance(by: .seconds(3600))
        let before = world.network.count(path: "/oauth/token")
        world.network.lose(to: "/oauth/token", moment, with: failure)
        await #expect(throws: SignInError(.refresh, .transport(failure))) {
            try await sessions.accessToken(of: session)
        }
        world.clock.advance(by: .seconds(2))
        #expect(try await !sessions.accessToken(of: session).isEmpty)
        #expect(world.network.count(path: "/oauth/token") == before + 2)
    }

    @Test(
        "Where a lost refresh may be repeated, a response without tokens is followed by a pause before the repetition",
        arguments: [
            (200, "text/html", "<p>Maintenance</p>"), (400, "application/json", #"{"error":"server_error"}"#),
        ]
    )
    func repeatedAfterPause(status: Int, type: String, body: String) async throws {
        let sealing = try SealingKeys(.random())
        let partner = try LogiPartner(try LogiWorld(), sealing: sealing)
        let session = try await partner.session(try await signedIn(partner))
        let sessions = try repeating(partner, sealing)
        let world = partner.world
        let answer = LogiOnce(
            EndpointResponse(status: .init(code: status), fields: [.contentType: type], body: Array(body.utf8))
        )
        partner.wire.answer { $0.url.path() == "/oauth/token" ? answer.take() : nil }
        world.clock.advance(by: .seconds(3600))
        let before = partner.wire.requests(to: "/oauth/token").count
        func failure() async -> SignInError? {
            await thrownError { () async throws(SignInError) in _ = try await sessions.accessToken(of: session) }
        }
        let first = try #require(await failure())
        let second = await failure()
        #expect(second?.reason == first.reason && second?.retryAfter != nil)
        #expect(partner.wire.requests(to: "/oauth/token").count == before + 1)
        world.clock.advance(by: .seconds(2))
        #expect(try await !sessions.accessToken(of: session).isEmpty)
        #expect(partner.wire.requests(to: "/oauth/token").count == before + 2)
    }

    @Test(
        "A refresh that did not reach the issuer keeps the session",
        .covers(.logi, rows: 58),
        arguments: [TransportFailure.unreachable, .unknownHost, .tls, .insecureURL, .invalidRequest]
    )
    func unreachable(_ failure: TransportFailure) async throws {
        let partner = try LogiPartner(try LogiWorld())
        let session = try await partner.session(try await signedIn(partner))
        partner.world.clock.advance(by: .seconds(3600))
        partner.world.network.lose(to: "/oauth/token", .beforeProcessing, with: failure)
        await #expect(throws: SignInError(.refresh, .transport(failure))) {
            try await partner.backend.sessions.accessToken(of: session)
        }
        #expect(try await partner.backend.sessions.accessToken(of: session).isEmpty == false)
    }

    @Test("A session ended by the backend is removed, and its refresh token is revoked", .covers(.logi, rows: 39, 58))
    func end() async throws {
        let world = try LogiWorld()
        let partner = try LogiPartner(world)
        let handle = try await signedIn(partner)
        try await partner.backend.sessions.end(try await partner.session(handle))
        await #expect(throws: SessionRefusal.self) { try await partner.session(handle) }
        await partner.backend.sessions.settle()
        #expect(world.network.count(path: "/oauth/revoke") == 1)
    }

    @Test("A sender that starts too many sign-ins gets 429", .covers(.logi, rows: 58))
    func limit() async throws {
        let partner = try LogiPartner(try LogiWorld())
        for _ in 0..<20 { #expect(try await partner.startAnswer().status == 200) }
        #expect(try await partner.startAnswer().status == 429)
    }
}
