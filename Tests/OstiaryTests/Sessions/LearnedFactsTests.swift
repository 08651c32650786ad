import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Facts that a client keeps beside its session")
struct LearnedFactsTests {
    private static let openID = "/.well-known/openid-configuration"

    private static func key() throws -> StoreKey { .learned(issuer: try Issuer(World.issuer), clientID: "app") }

    @Test("Metadata older than an hour serves a refresh, and is read again after it")
    func oldMetadata() async throws {
        let world = try World(lifetimes: .init(refreshToken: .seconds(30 * 86_400)))
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(7200))
        let before = world.network.requests.count
        let session = try #require(try await world.client().restoreSession())
        try await session.refresh()
        while world.network.count(path: Self.openID) < 2 { await Task.yield() }
        #expect(world.network.requests.dropFirst(before).map(\.path) == ["/token", Self.openID])
    }

    @Test("Old metadata is read again at once, when its token endpoint is gone; the refresh goes on at the new one")
    func movedEndpoint() async throws {
        let world = try World()
        let transport = MovingTransport(over: world.network)
        _ = try await world.client(transport: transport).signIn()
        transport.move()
        world.clock.advance(by: .seconds(7200))
        let session = try #require(try await world.client(transport: transport).restoreSession())
        try await session.refresh()
        #expect(session.end == nil && transport.paths.suffix(3) == ["/token", Self.openID, "/token2"])
    }

    @Test("Keys that are less than a day old check an ID token, however short the issuer's cache time")
    func keys() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        world.clock.advance(by: .seconds(23 * 3600))
        try await #require(try await world.client().restoreSession()).refresh()
        #expect(world.network.count(path: "/jwks") == 1)
        world.clock.advance(by: .seconds(3 * 3600))
        try await #require(try await world.client().restoreSession()).refresh()
        #expect(world.network.count(path: "/jwks") == 2)
    }

    @Test("A cold refresh counts a token's lifetime by the server's clock", arguments: [86_400.0, -86_400, 3600])
    func wrongClock(error: Double) async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let clock = world.clock
        let wrong = DeviceClock(
            now: { clock.now.addingTimeInterval(error) },
            uptime: { clock.now.timeIntervalSince1970 }
        )
        let session = try #require(try await world.client(device: wrong).restoreSession())
        try await session.refresh()
        let expiry = try #require(session.accessTokenExpiry)
        #expect(abs(expiry.timeIntervalSince(clock.now) - 900) < 2)
    }

    @Test("A store that waits for its user delays no sign-in or refresh for learned facts")
    func waitingStore() async throws {
        let world = try World()
        let session = try await world.client(store: LearnedFactsWaiting()).signIn()
        #expect(session.identity?.subject == "alice-subject")
    }

    @Test(
        "A store that fails for learned facts fails no sign-in or refresh",
        arguments: [FaultyStore.Operation.read, .write]
    )
    func failingStore(operation: FaultyStore.Operation) async throws {
        let world = try World()
        let store = LearnedFactsFailure(operation)
        let session = try await world.client(store: store).signIn()
        try await session.refresh()
        _ = try await session.userInfo()
        #expect(try await world.client(store: store).restoreSession()?.identity == session.identity)
    }

    @Test("Corrupted learned facts, or another issuer's, are ignored")
    func broken() async throws {
        let world = try World()
        _ = try await world.client().signIn()
        let key = try Self.key()
        let good = String(decoding: try #require(try await world.store.read(key)), as: UTF8.self)
        let values = [
            "", "{}", #"{"version":2}"#, good.replacingOccurrences(of: World.issuer, with: "https://evil.test"),
        ]
        for value in values {
            try await world.store.write(Array(value.utf8), for: key)
            let before = world.network.count(path: Self.openID)
            let session = try #require(try await world.client().restoreSession())
            try await session.refresh()
            #expect(world.network.count(path: Self.openID) == before + 1, "\(value.prefix(20))")
        }
    }

    @Test("Learned facts hold no token, no user and no client secret, and outlive a sign-out")
    func content() async throws {
        let world = try World(scenario: .rotatingNonces, client: { $0.requiresDPoP = true })
        let session = try await world.client(senderConstraint: .dpop).signIn()
        let secrets = [
            session.tokens.accessToken.reveal(), try #require(session.tokens.refreshToken).reveal(), "alice",
        ]
        try await session.signOut(.revoke)
        let stored = String(decoding: try #require(try await world.store.read(Self.key())), as: UTF8.self)
        for secret in secrets { #expect(!stored.contains(secret)) }
        #expect(stored.contains("nonce") && stored.utf8.count < 49_152)
    }

    @Test("A client whose metadata is given by hand keeps no metadata")
    func byHand() async throws {
        let world = try World()
        let context = ExchangeContext(device: world.clock.device)
        let server = try await world.network.perform(ServerMetadataRequest(Issuer(World.issuer)), in: context)
        let client = SignInClient(
            issuer: server.issuer,
            client: try world.client().client,
            configuration: SignInClient.Configuration(
                server: server,
                userAgent: world.person(),
                transport: world.network,
                store: world.store,
                clock: world.clock.device
            )
        )
        _ = try await client.signIn()
        let stored = try JSONObject(parsing: try #require(try await world.store.read(Self.key())))
        #expect(stored["metadata"] == nil && stored["keys"] != nil)
    }
}

/// A server whose token endpoint moves from `/token` to `/token2`.
private final class MovingTransport: HTTPTransport {
    private let network: InProcessProvider
    private let state = Lock((hasMoved: false, paths: [String]()))
    var paths: [String] { state.withLock { $0.paths } }

    init(over network: InProcessProvider) { self.network = network }

    func move() { state.withLock { $0.hasMoved = true } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let path = request.url.path()
        let hasMoved = state.withLock { state in
            state.paths.append(path)
            return state.hasMoved
        }
        guard hasMoved else { return try await network.send(request) }
        if path == "/token" { return EndpointResponse(status: .notFound) }
        if path == "/token2" {
            let answer = await network.provider.respond(
                to: ProviderRequest(
                    method: .post,
                    path: "/token",
                    query: nil,
                    fields: request.allFields,
                    body: request.body ?? []
                )
            )
            return EndpointResponse(
                status: .ok,
                fields: [.contentType: "application/json"],
                body: network.provider.body(of: answer)
            )
        }
        var answer = try await network.send(request)
        if var metadata = try? JSONObject(parsing: answer.body), metadata["token_endpoint"] != nil {
            metadata["token_endpoint"] = .string(World.issuer + "/token2")
            answer.body = metadata.encoded()
        }
        return answer
    }
}

/// A store that fails for learned facts alone.
private struct LearnedFactsFailure: SecretStore {
    private let store = MemoryStore()
    private let operation: FaultyStore.Operation
    init(_ operation: FaultyStore.Operation) { self.operation = operation }

    private func fail(_ key: StoreKey, _ attempted: FaultyStore.Operation) throws(StorageFailure) {
        if attempted == operation, key.description.hasPrefix("learned/") { throw .unavailable }
    }
    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        try fail(key, .read)
        return try await store.read(key)
    }
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try fail(key, .write)
        try await store.write(value, for: key)
    }
    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}

/// A store that answers nothing about learned facts, as a keyring that stays locked.
private struct LearnedFactsWaiting: SecretStore {
    private let store = MemoryStore()

    private func wait(_ key: StoreKey) async {
        guard key.description.hasPrefix("learned/") else { return }
        let (never, continuation) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        continuation.finish()
    }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        await wait(key)
        return try await store.read(key)
    }

    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        await wait(key)
        try await store.write(value, for: key)
    }

    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}
