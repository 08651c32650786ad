import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Access tokens for targets with a server's own parameters")
struct TargetTokenTests {
    private static let api = try! ResourceIndicator("https://api.example.test")
    private static let request = AuthorizationRequest(resources: [api])
    private static let north = try! AccessTokenTarget(parameters: ["tenant": "north"])
    private static let northAPI = try! AccessTokenTarget(resource: api, parameters: ["tenant": "north"])

    private func world() throws -> World {
        try World(provider: {
            $0.resources = [ProviderResource(identifier: Self.api.description, name: "The API")]
        })
    }

    private func forms(_ world: World) -> [Parameters] {
        world.network.requests.filter { $0.path == "/token" }.map(\.request.form)
    }

    @Test("Every target sends its resource and parameters, and gets its own token")
    func targets() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        let own = try await session.accessToken()
        let tokens: Set<Secret> = [
            own, try await session.accessToken(for: Self.north), try await session.accessToken(for: Self.northAPI),
            try await session.accessToken(for: Self.api),
        ]
        #expect(tokens.count == 4)
        let forms = forms(world)
        #expect(forms.map { $0["tenant"] } == [nil, "north", "north", nil])
        #expect(forms.map { $0[.resource] } == [nil, nil, Self.api.description, Self.api.description])
        #expect(try await session.accessToken(for: Self.northAPI) == session.accessToken(for: Self.northAPI))
        #expect(world.network.count(path: "/token") == 4)
        #expect(session.accessTokenExpiry(for: Self.north) != nil)
        #expect(session.scopes(of: Self.north) == [.openID, .profile, .offlineAccess])
        #expect(session.scopes(of: try AccessTokenTarget(parameters: ["tenant": "south"])) == nil)
    }

    @Test("A restored session has the tokens of all targets, with any characters")
    func restored() async throws {
        let world = try world()
        let target = try AccessTokenTarget(
            resource: Self.api,
            parameters: ["tenant": "a&b=c é", "empty": "", "x": "1"]
        )
        let session = try await world.client().signIn(Self.request)
        let token = try await session.accessToken(for: target)
        let other = try await session.accessToken(for: Self.api)
        let restored = try #require(try await world.client().restoreSession())
        #expect(try await restored.accessToken(for: target) == token)
        #expect(try await restored.accessToken(for: Self.api) == other)
        #expect(world.network.count(path: "/token") == 3)
    }

    @Test("Forty callers for four targets cause one refresh each, one after the other")
    func concurrent() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        let south = try AccessTokenTarget(parameters: ["tenant": "south"])
        let targets = [Self.north, Self.northAPI, south, AccessTokenTarget(Self.api)]
        let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
            for number in 0..<40 { group.addTask { try await session.accessToken(for: targets[number % 4]) } }
            return try await group.reduce(into: Set<Secret>()) { $0.insert($1) }
        }
        #expect(tokens.count == 4)
        #expect(world.network.count(path: "/token") == 5)
        #expect(session.end == nil)
    }

    /// Adds tokens for targets to the stored session, as if they had been issued one after the other just now.
    private func add(_ count: Int, of size: Int, to world: World) async throws {
        let key = StoreKey.session(issuer: try Issuer(World.issuer), clientID: "app")
        let limits = JSONLimits(maximumBytes: 1_048_576, maximumMembers: 100_000)
        var record = try JSONObject(parsing: try #require(try await world.store.read(key)), limits: limits)
        var tokens = try #require(record["tokens"]?.object)
        let now = world.clock.now.timeIntervalSince1970
        let token = String(repeating: "t", count: size)
        let targets = (1...count).map { number in
            JSONValue.object([
                "access_token": .string("\(number)-\(token)"), "scope": "openid", "expires_in": 900,
                "expires_at": .number(now + 900), "received_at": .number(now - 600 + Double(number)),
                "parameters": .array([.array(["tenant", .string("\(number)")])]),
            ])
        }
        tokens["targets"] = .array(targets)
        record["tokens"] = .object(tokens)
        try await world.store.write(record.encoded(), for: key)
    }

    private func target(_ tenant: String) throws -> AccessTokenTarget {
        try AccessTokenTarget(parameters: ["tenant": tenant])
    }

    @Test("A session with tokens for 500 targets is readable, and keeps the newest 256 at the next refresh")
    func many() async throws {
        let world = try world()
        _ = try await world.client().signIn(Self.request)
        try await add(499, of: 1_200, to: world)
        let session = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        #expect(session.accessTokenExpiry(for: try target("1")) != nil)
        let newest = try await session.accessToken(for: target("500"))
        let restored = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        let requests = world.network.count(path: "/token")
        #expect(try await restored.accessToken(for: target("500")) == newest)
        #expect(restored.accessTokenExpiry(for: try target("245")) != nil)
        #expect(restored.accessTokenExpiry(for: try target("244")) == nil)
        #expect(world.network.count(path: "/token") == requests)
        _ = try await restored.accessToken(for: target("1"))
        #expect(world.network.count(path: "/token") == requests + 1)
    }

    @Test("A session that does not fit a store is stored without its oldest target tokens, and can be read")
    func large() async throws {
        let world = try world()
        _ = try await world.client().signIn(Self.request)
        try await add(100, of: 7_700, to: world)
        let session = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        let padding = String(repeating: "x", count: 7_000)
        for number in 1...2 { _ = try await session.accessToken(for: target("\(number)-\(padding)")) }
        let stored = try #require(try await world.store.read(.session(issuer: Issuer(World.issuer), clientID: "app")))
        #expect(stored.count <= 786_432)
        let restored = try #require(try await world.client(store: world.storeOfAnotherProcess).restoreSession())
        #expect(restored.accessTokenExpiry(for: try target("2-\(padding)")) != nil)
        #expect(restored.accessTokenExpiry(for: try target("1")) == nil)
    }

    @Test("An expired token for a target is dropped by the next refresh")
    func expired() async throws {
        let world = try world()
        let session = try await world.client().signIn(Self.request)
        _ = try await session.accessToken(for: Self.north)
        world.clock.advance(by: .seconds(900))
        #expect(session.accessTokenExpiry(for: Self.north) != nil)
        _ = try await session.accessToken(for: Self.api)
        #expect(session.accessTokenExpiry(for: Self.north) == nil)
    }

    @Test("A new sign-in starts without target tokens")
    func replaced() async throws {
        let world = try world()
        let client = try world.client()
        let first = try await client.signIn(Self.request)
        let token = try await first.accessToken(for: Self.north)
        let second = try await client.signIn(Self.request)
        #expect(second.accessTokenExpiry(for: Self.north) == nil)
        #expect(try await second.accessToken(for: Self.north) != token)
    }
}

@Suite("A session that another one replaced")
struct ReplacedSessionTests {
    @Test("A replaced session has ended, and hands out no token")
    func ended() async throws {
        let world = try World()
        let client = try world.client()
        let first = try await client.signIn()
        let second = try await client.redirecting(to: try RedirectURI("com.example.app:/callback")).signIn()
        #expect(first.end == .replaced && second.end == nil)
        #expect(
            await failure { () throws(SignInError) in _ = try await first.accessToken() }
                == SignInError(.refresh, .signInRequired)
        )
        #expect(world.events.events.contains(.ended(.replaced)))
    }

    @Test("A restored object of a replaced session has ended")
    func restored() async throws {
        let world = try World()
        let client = try world.client()
        _ = try await client.signIn()
        let restored = try #require(try await client.restoreSession())
        _ = try await client.signIn()
        #expect(restored.end == .replaced)
    }

    @Test(
        "A replaced session's late refresh is discarded, and the new session stays stored",
        .failure("Another user signs in during a refresh"),
        // A server may end every grant of a user to the client with one revocation.
        arguments: [("alice", 0), ("bob", 1)]
    )
    func lateRefresh(user: String, revocations: Int) async throws {
        let world = try World(provider: { $0.users.append(World.bob) })
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(900))
        let gate = GatedTransport(over: world.network, path: "/token")
        let client = try world.client(transport: HeldOnce(gate, over: world.network, path: "/token"))
        let old = try #require(try await client.restoreSession())
        let waiting = Task { await failure { () throws(SignInError) in _ = try await old.accessToken() } }
        await gate.arrival()
        let new = try await world.client(userAgent: world.person(user)).signIn()
        let token = try await new.accessToken()
        gate.open()
        #expect(await waiting.value?.recovery == .signInAgain)
        let stored = try #require(try await world.client().restoreSession())
        #expect(try await stored.accessToken() == token)
        while world.network.count(path: "/revoke") < revocations { await Task.yield() }
        #expect(world.network.count(path: "/revoke") == revocations)
    }

    @Test("A replaced session's sign-out keeps the new session")
    func signOut() async throws {
        let world = try World()
        let client = try world.client()
        let first = try await client.signIn()
        _ = try await client.signIn()
        let report = try await first.signOut()
        #expect(report.revocationFailure == nil && !report.endedProviderSession)
        #expect(world.network.count(path: "/revoke") == 0)
        #expect(try await world.client().restoreSession() != nil)
    }
}

/// Sends the first request to a path through a gate, and everything else straight on.
private final class HeldOnce: HTTPTransport {
    private let gate: any HTTPTransport
    private let next: any HTTPTransport
    private let path: String
    private let counter = Recorder()

    init(_ gate: any HTTPTransport, over next: any HTTPTransport, path: String) {
        self.gate = gate
        self.next = next
        self.path = path
    }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.path() == path, counter.events.isEmpty else { return try await next.send(request) }
        counter.add(.refreshed)
        return try await gate.send(request)
    }
}

@Suite("A session that is restored more than once")
struct RestoredTwiceTests {
    @Test("A sign-out through one object of a session ends the others")
    func signOut() async throws {
        let world = try World()
        let client = try world.client()
        let session = try await client.signIn()
        try await (try #require(try await world.client().restoreSession())).refresh()
        let restored = try #require(try await client.restoreSession())
        try await restored.signOut()
        #expect(session.end == .userAction)
        #expect(try await client.restoreSession() == nil)
    }
}

@Suite("Restoring at once")
struct ImmediateRestoreTests {
    @Test("A store with immediate reads restores the session without waiting")
    func now() async throws {
        let world = try World()
        let store = MemoryStore()
        func client() throws -> SignInClient {
            SignInClient(
                issuer: try Issuer(World.issuer),
                client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
                configuration: SignInClient.Configuration(
                    userAgent: world.person(),
                    transport: world.network,
                    store: store,
                    clock: world.clock.device
                )
            )
        }
        #expect(try client().restoreSessionNow() == nil)
        let session = try await client().signIn()
        let token = try await session.accessToken()
        let restored = try #require(try client().restoreSessionNow())
        #expect(try await restored.accessToken() == token)
    }

    @Test("A store without immediate reads fails restoreSessionNow as unsupported")
    func other() async throws {
        let client = try World().client()
        let error = SignInError(.storage, .unsupported("reading without waiting; this store does not"))
        #expect(throws: error) { try client.restoreSessionNow() }
    }
}

@Suite("Ending the provider's session in another way")
struct EndSessionRequestTests {
    private func client(_ world: World, _ end: SignInError?, seen: @escaping @Sendable (URL) -> Void) throws
        -> SignInClient
    {
        let person = world.person()
        return try world.client(
            userAgent: ScriptedUserAgent { (url, redirectURI) throws(SignInError) in
                guard url.path() == "/end-session" else {
                    return try await person.attempt(awaiting: redirectURI).open(url, accepting: .any)
                }
                seen(url)
                throw end ?? SignInError(.authorization, .cancelled)
            }
        )
    }

    @Test("An end-session page without a redirect URI is closed by the user")
    func closing() async throws {
        let world = try World()
        let pages = Pages()
        let session = try await client(world, nil) { pages.add($0) }.signIn()
        let report = try await session.signOut(EndSessionRequest(returning: .closing))
        #expect(report.endSessionFailure == nil && !report.endedProviderSession)
        let query = try #require(FormURLEncoding.decode(pages.urls.first?.query(percentEncoded: true) ?? ""))
        #expect(query[.clientID] == "app" && query[.idTokenHint] != nil)
        #expect(query[.postLogoutRedirectURI] == nil && query[.state] == nil)
    }

    @Test("A failed end-session page is reported with its cause")
    func failed() async throws {
        let world = try World()
        let error = SignInError(.authorization, .timedOut)
        let session = try await client(world, error) { _ in }.signIn()
        let report = try await session.signOut(EndSessionRequest(returning: .closing))
        #expect(report.endSessionFailure == SignInError(.endSession, .timedOut))
    }

    @Test("An end-session request omits the ID token hint when the app says so")
    func noHint() async throws {
        let world = try World()
        let pages = Pages()
        let session = try await client(world, nil) { pages.add($0) }.signIn()
        let uri = try RedirectURI("com.example.app:/bye")
        let report = try await session.signOut(EndSessionRequest(returning: .redirect(uri), hint: .none))
        #expect(report.endSessionFailure == SignInError(.endSession, .cancelled))
        let query = try #require(FormURLEncoding.decode(pages.urls.first?.query(percentEncoded: true) ?? ""))
        #expect(query[.idTokenHint] == nil && query[.state] != nil)
        #expect(query[.postLogoutRedirectURI] == "com.example.app:/bye")
    }
}

/// The pages that were opened.
private final class Pages: Sendable {
    private let list = Lock<[URL]>([])
    func add(_ url: URL) { list.withLock { $0.append(url) } }
    var urls: [URL] { list.withLock { $0 } }
}
