import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import Testing

@testable import OstiaryServer

@Suite("The time of a session's lease", .timeLimit(.minutes(5)))
struct LeaseTimeTests {
    /// Counts the requests.
    private final class Network: HTTPTransport {
        private let received = Lock(0)
        var count: Int { received.withLock { $0 } }
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            received.withLock { $0 += 1 }
            return EndpointResponse()
        }
    }

    /// An issuer that takes 11 seconds to reject a client's assertion for its time.
    private final class SlowIssuer: HTTPTransport {
        private let world: BrowserWorld
        private let received = Lock(0)
        var attempts: Int { received.withLock { $0 } }

        init(_ world: BrowserWorld) { self.world = world }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            guard request.url.path() == "/token" else { return try await world.network.send(request) }
            received.withLock { $0 += 1 }
            world.clock.advance(by: .seconds(11))
            return EndpointResponse(
                status: .unauthorized,
                fields: [
                    .contentType: "application/json",
                    .date: HTTPDate.text(world.clock.now.addingTimeInterval(86_400)),
                ],
                body: Array(#"{"error":"invalid_client"}"#.utf8)
            )
        }
    }

    /// A session whose access token has expired, and whose issuer's keys are fresh.
    private func expired() async throws -> (BrowserWorld, ServerSession) {
        let world = try BrowserWorld(readsUserInfo: false)
        let browser = TestBrowser(world)
        try await browser.signIn()
        let cookie = "__Host-ostiary=" + (try #require(browser.session))
        let session = try await world.web.session(
            of: ServerRequest(method: .get, target: "/", fields: [.cookie: cookie])
        )
        world.clock.advance(by: .seconds(900))
        try await world.keys.warm()
        return (world, session)
    }

    /// Makes the next token response arrive after some time, with an ID token whose key has to be requested.
    private func delayToken(_ world: BrowserWorld, by delay: Duration) {
        let clock = world.clock
        let isFirst = Lock(true)
        world.network.change("/token") { object in
            let isNext = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isNext else { return }
            clock.advance(by: delay)
            var parts = (object["id_token"]?.string ?? "").split(separator: ".").map(String.init)
            guard var header = try? JSONObject(parsing: Base64URL.decode(parts[0])) else { return }
            header["kid"] = "unpublished"
            parts[0] = Base64URL.encode(header.encoded())
            object["id_token"] = .string(parts.joined(separator: "."))
        }
    }

    @Test("A refresh whose response comes after 30 seconds requests no keys for it, and keeps its refresh token")
    func lateResponse() async throws {
        let (world, session) = try await expired()
        let requests = world.network.count("/jwks")
        delayToken(world, by: .seconds(30))
        await #expect(throws: SignInError(.refresh, .timedOut)) { try await world.sessions.accessToken(of: session) }
        #expect(world.network.count("/jwks") == requests)
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 3)
    }

    @Test("A refresh whose keys do not arrive ends 30 seconds after its lease began, and keeps its refresh token")
    func hangingKeys() async throws {
        let (world, session) = try await expired()
        let requests = world.network.count("/jwks")
        delayToken(world, by: .milliseconds(29_950))
        world.network.hold("/jwks")
        await #expect(throws: SignInError(.refresh, .timedOut)) { try await world.sessions.accessToken(of: session) }
        #expect(world.network.count("/jwks") == requests + 1)
        world.network.release()
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 3)
    }

    @Test("A refresh token whose mark takes the store too long is not presented, and the next refresh presents it")
    func slowStore() async throws {
        let (world, session) = try await expired()
        let clock = world.clock
        world.store.before(.mark) { clock.advance(by: .seconds(11)) }
        await #expect(throws: SignInError(.storage, .storage(.unavailable))) {
            try await world.sessions.accessToken(of: session)
        }
        #expect(world.network.count("/token") == 1)
        world.store.before(.mark, nil)
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 2)
    }

    /// The sessions of a world as those of a client that authenticates in another way.
    private func sessions(
        of world: BrowserWorld,
        _ authentication: ClientAuthentication,
        over transport: any HTTPTransport
    ) throws -> ServerSessions {
        ServerSessions(
            client: try Client(
                id: "web",
                redirectURI: try RedirectURI(BrowserWorld.base + "/callback"),
                authentication: authentication
            ),
            keys: world.keys,
            store: world.store,
            sealing: world.sealing,
            dpop: try ProofChecking(origins: [try ExternalOrigin(Proofs.origin)], replays: world.store),
            transport: transport,
            clock: world.clock.device
        )
    }

    @Test("A rejected token request is not repeated when the repetition may outlast the lease, and the session stays")
    func lateRepetition() async throws {
        let (world, session) = try await expired()
        let issuer = SlowIssuer(world)
        let sessions = try sessions(of: world, .privateKeyJWT(try SigningKey.generate(.es256)), over: issuer)
        let error = await #expect(throws: SignInError(.refresh, .timedOut)) {
            try await sessions.accessToken(of: session)
        }
        #expect(error?.message.contains("after 11 seconds") == true)
        #expect(issuer.attempts == 1)
        _ = try await world.sessions.accessToken(of: session)
    }

    @Test("A repetition that is not sent for lack of time holds no other session off")
    func lateRepetitions() async throws {
        let (world, session) = try await expired()
        let issuer = SlowIssuer(world)
        let sessions = try sessions(of: world, .privateKeyJWT(try SigningKey.generate(.es256)), over: issuer)
        for attempt in 1...6 {
            await #expect(throws: SignInError(.refresh, .timedOut)) { try await sessions.accessToken(of: session) }
            #expect(issuer.attempts == attempt)
        }
    }

    @Test(
        "An attester's failure at a refresh leaves the session as it was, and no refresh token is presented",
        arguments: [
            .transport(.timedOut), .server(status: 500), .refused(OAuthError(code: .invalidGrant)), .storage(.locked),
            .keyLost,
        ] as [SignInError.Reason]
    )
    func attesterFails(_ reason: SignInError.Reason) async throws {
        let (world, session) = try await expired()
        let attester = ClientAttester { (_) throws(SignInError) in throw SignInError(.token, reason) }
        let instance = ClientInstance(key: try SigningKey.generate(.es256), attester: attester)
        let sessions = try sessions(of: world, .attestation(instance), over: world.network)
        let error = await #expect(throws: SignInError.self) { try await sessions.accessToken(of: session) }
        #expect(error?.stage == .refresh && error?.endsServerSession == false)
        #expect(world.network.count("/token") == 1)
        _ = try await world.sessions.accessToken(of: session)
        #expect(world.network.count("/token") == 2)
    }

    @Test("A refusal at another stage than the refresh ends no browser's session")
    func refusalElsewhere() {
        let refusal = SignInError.Reason.refused(OAuthError(code: .invalidGrant))
        #expect(!SignInError(.discovery, refusal).endsServerSession)
        #expect(SignInError(.refresh, refusal).endsServerSession)
    }

    @Test("A request under a lease is sent while its deadline ends within 25 seconds, and not later")
    func requests() async throws {
        let (clock, network) = (TestClock(), Network())
        let transport = LeaseTime(clock.device).bounding(network)
        var request = EndpointRequest(url: try #require(URL(string: "https://id.example.test/token")), method: .post)
        clock.advance(by: .seconds(10))
        _ = try await transport.send(request)
        clock.advance(by: .seconds(1))
        await #expect(throws: TransportFailure.unreachable) { try await transport.send(request) }
        request.limits.deadline = .seconds(5)
        _ = try await transport.send(request)
        #expect(network.count == 2)
    }

    @Test("User info that arrives 30 seconds after its lease began is not stored, and the lease is released")
    func lateUserInfo() async throws {
        let world = try BrowserWorld()
        let clock = world.clock
        world.network.change("/userinfo") { _ in clock.advance(by: .seconds(30)) }
        let browser = TestBrowser(world)
        try await browser.signIn()
        #expect(await browser.send(world.web.session).object["claims"] == [:])
        let cookie = "__Host-ostiary=" + (try #require(browser.session))
        let session = try await world.web.session(
            of: ServerRequest(method: .get, target: "/", fields: [.cookie: cookie])
        )
        world.clock.advance(by: .seconds(900))
        _ = try await world.sessions.accessToken(of: session)
    }

    @Test("After user info that took 30 seconds to fail, the next request does not ask again")
    func slowFailure() async throws {
        let world = try BrowserWorld()
        let clock = world.clock
        world.network.change("/userinfo") { _ in clock.advance(by: .seconds(30)) }
        let browser = TestBrowser(world)
        try await browser.signIn()
        let check = try GatewayCheck(world.web)
        #expect(await browser.send(check, .get, "/", [.forwardedMethod: "GET"]).status == .ok)
        #expect(world.network.count("/userinfo") == 1)
        clock.advance(by: .seconds(30))
        _ = await browser.send(check, .get, "/", [.forwardedMethod: "GET"])
        #expect(world.network.count("/userinfo") == 2)
    }

    @Test("User info is not requested when the store takes 30 seconds to grant the lease")
    func slowLease() async throws {
        let world = try BrowserWorld()
        let clock = world.clock
        world.store.before(.take) { clock.advance(by: .seconds(30)) }
        try await TestBrowser(world).signIn()
        #expect(world.network.count("/userinfo") == 0)
    }
}
