import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryProvider
import OstiarySSAFY
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("SSAFY Verify: the backend's endpoint in operation", .timeLimit(.minutes(5)))
struct SSAFYOperationTests {
    /// The service behind a network that can hold or fail requests to a path.
    private final class Network: HTTPTransport {
        private struct State {
            var failing: String?
            var held: String?
            var count: [String: Int] = [:]
        }
        private let service: any HTTPTransport
        private let state = Lock(State())

        init(_ service: any HTTPTransport) { self.service = service }

        func fail(_ path: String?) { state.withLock { $0.failing = path } }
        func hold(_ path: String?) { state.withLock { $0.held = path } }
        func count(_ path: String) -> Int { state.withLock { $0.count[path] ?? 0 } }

        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            let path = request.url.path()
            state.withLock { $0.count[path, default: 0] += 1 }
            while state.withLock({ $0.held == path }) { await Task.yield() }
            if state.withLock({ $0.failing == path }) { throw .unreachable }
            return try await service.send(request)
        }
    }

    /// A store that counts limits, and fails to save as often as the test sets.
    private final class Store: SSAFYHandoff.Store {
        private struct State {
            var taken = 0
            var failures = 0
        }
        let inner = MemoryServerStore()
        private let state = Lock(State())

        var taken: Int { state.withLock { $0.taken } }
        func failToSave(_ count: Int) { state.withLock { $0.failures = count } }

        func take(_ limit: RateLimit, for name: StoreDigest, now: Date) async throws(StorageFailure) -> RateLimitAnswer
        {
            state.withLock { $0.taken += 1 }
            return try await inner.take(limit, for: name, now: now)
        }
        func save(_ record: ServerVerificationRecord) async throws(StorageFailure) {
            let fails = state.withLock { state in
                guard state.failures > 0 else { return false }
                state.failures -= 1
                return true
            }
            guard !fails else { throw .unavailable }
            try await inner.save(record)
        }
        func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord? {
            try await inner.verification(of: subject)
        }
        func removeVerification(of subject: String) async throws(StorageFailure) {
            try await inner.removeVerification(of: subject)
        }
        func claim(
            _ code: StoreDigest,
            for request: StoreDigest,
            until expiry: Date,
            answeredBy deadline: Date,
            now: Date
        ) async throws(StorageFailure) -> RedemptionClaim {
            try await inner.claim(code, for: request, until: expiry, answeredBy: deadline, now: now)
        }
        func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure) {
            try await inner.release(code, for: request)
        }
        func record(
            _ answer: [UInt8],
            of code: StoreDigest,
            for request: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await inner.record(answer, of: code, for: request, until: expiry, now: now)
        }
    }

    private static let token = "/verify/token"
    private static let keys = "/verify/jwks"

    private let world: SSAFYWorld
    private let network: Network
    private let store = Store()
    private let handoff: SSAFYHandoff

    init() throws {
        world = try SSAFYWorld()
        network = Network(world.network)
        handoff = try Self.handoff(world, network, store)
    }

    private static func handoff(
        _ world: SSAFYWorld,
        _ network: Network,
        _ store: Store,
        limits: SSAFYHandoff.Limits = .init()
    ) throws -> SSAFYHandoff {
        try SSAFYHandoff(
            SSAFYServerConfiguration(
                clientID: "ssafy-partner",
                clientSecret: Secret("partner-secret"),
                redirectURIs: [SSAFYWorld.callback],
                issuer: SSAFYWorld.issuer
            ),
            store: store,
            sealing: SealingKeys(.random()),
            appGuard: NativeAppGuard(clock: world.clock.device),
            limits: limits,
            transport: network,
            clock: world.clock.device
        )
    }

    @Test("A code is not presented while the service's keys cannot be fetched, and is redeemed afterwards")
    func keysFirst() async throws {
        network.fail(Self.keys)
        let request = SSAFYLaterTests.request(try await SSAFYLaterTests.code(world))
        let first = await handoff.respond(to: request)
        #expect(first.status == .serviceUnavailable && first.fields[.retryAfter] == "1")
        #expect(network.count(Self.token) == 0)
        network.fail(nil)
        world.clock.advance(by: .seconds(10))
        #expect(await handoff.respond(to: request).status == .ok)
    }

    @Test("A redemption continues when the app's request is cancelled, and the repeated request has its answer")
    func cancelled() async throws {
        network.hold(Self.token)
        let request = SSAFYLaterTests.request(try await SSAFYLaterTests.code(world))
        let first = Task { await handoff.respond(to: request) }
        while network.count(Self.token) == 0 { await Task.yield() }
        first.cancel()
        network.hold(nil)
        await handoff.settle()
        #expect(await handoff.respond(to: request).status == .ok)
        #expect(network.count(Self.token) == 1)
    }

    @Test("A verified user is stored when the store is back within seconds, and the code is not lost")
    func saving() async throws {
        store.failToSave(3)
        let response = await handoff.respond(to: SSAFYLaterTests.request(try await SSAFYLaterTests.code(world)))
        #expect(response.status == .ok)
        let subject = try #require(try JSONObject(parsing: response.body)["sub"]?.string)
        #expect(try await store.verification(of: subject)?.verified == true)
    }

    @Test("A sender that has exceeded the limit costs the store nothing until it may try again")
    func limited() async throws {
        let limits = SSAFYHandoff.Limits(
            sender: RateLimit(2, per: .seconds(60)),
            total: RateLimit(100, per: .seconds(60))
        )
        let handoff = try Self.handoff(world, network, store, limits: limits)
        var request = SSAFYLaterTests.request("a")
        request.body = []
        for _ in 0..<3 { _ = await handoff.respond(to: request) }
        let taken = store.taken
        for _ in 0..<100 { #expect(await handoff.respond(to: request).status == .tooManyRequests) }
        #expect(store.taken == taken)
        world.clock.advance(by: .seconds(31))
        #expect(await handoff.respond(to: request).status == .badRequest)
    }
}
