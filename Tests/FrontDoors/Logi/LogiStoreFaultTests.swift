import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryLogi
import OstiaryLogiServer
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("logi: a backend whose store fails when renewed tokens are to be kept", .timeLimit(.minutes(5)))
struct LogiStoreFaultTests {
    /// The outcome of a call.
    enum Fault: Sendable, CaseIterable {
        /// It throws, and nothing was changed.
        case before
        /// It throws, and the change was made all the same.
        case after
    }

    /// The operation that fails.
    enum Operation: Sendable { case insert, record, replace, markShown }

    /// A store that fails at one operation, as often as the test sets.
    private final class Failing: LogiBackend.Store {
        private let inner: MemoryServerStore
        private let operation: Operation
        private let faults: Lock<[Fault]>

        init(_ inner: MemoryServerStore, _ operation: Operation, _ faults: [Fault]) {
            self.inner = inner
            self.operation = operation
            self.faults = Lock(faults)
        }

        private func attempt(
            _ attempted: Operation,
            _ call: () async throws(StorageFailure) -> Bool
        ) async throws(StorageFailure) -> Bool {
            guard attempted == operation else { return try await call() }
            let fault = faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if fault != .before {
                let isDone = try await call()
                if fault == nil { return isDone }
            }
            throw .unavailable
        }

        func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool {
            try await attempt(.replace) { () async throws(StorageFailure) in
                try await inner.replace(with: session, now: now)
            }
        }

        func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool {
            try await attempt(.insert) { () async throws(StorageFailure) in try await inner.insert(session) }
        }
        func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord? {
            try await inner.session(id, now: now)
        }
        func extendIdle(_ id: StoreDigest, until idleExpiry: Date, now: Date) async throws(StorageFailure) -> Bool {
            try await inner.extendIdle(id, until: idleExpiry, now: now)
        }
        func remove(_ id: StoreDigest) async throws(StorageFailure) { try await inner.remove(id) }
        func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool {
            try await inner.remove(id, version: version)
        }
        func removeSessions(
            issuer: String,
            subject: String?,
            sessionID: String?,
            revoking revocation: @escaping @Sendable (ServerSessionRecord) -> PendingRevocation?
        ) async throws(StorageFailure) -> [ServerSessionRecord] {
            try await inner.removeSessions(
                issuer: issuer,
                subject: subject,
                sessionID: sessionID,
                revoking: revocation
            )
        }
        func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure) {
            try await inner.savePendingRevocation(revocation)
        }
        func claimPendingRevocations(
            of client: StoreDigest,
            limit: Int,
            until end: Date,
            now: Date
        ) async throws(StorageFailure) -> [PendingRevocation] {
            try await inner.claimPendingRevocations(of: client, limit: limit, until: end, now: now)
        }
        func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure) {
            try await inner.removePendingRevocation(name)
        }
        func lease(
            _ session: StoreDigest,
            version: Int,
            owner: String,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> RefreshLeaseAnswer {
            try await inner.lease(session, version: version, owner: owner, until: expiry, now: now)
        }
        func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool {
            try await attempt(.markShown) { () async throws(StorageFailure) in
                try await inner.markShown(lease, now: now)
            }
        }
        func release(_ lease: RefreshLease) async throws(StorageFailure) { try await inner.release(lease) }
        func put(
            _ value: [UInt8],
            as name: StoreDigest,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await inner.put(value, as: name, until: expiry, now: now)
        }
        func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]? {
            try await inner.take(name, now: now)
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
            try await attempt(.record) { () async throws(StorageFailure) in
                try await inner.record(answer, of: code, for: request, until: expiry, now: now)
            }
        }
        func take(_ limit: RateLimit, for name: StoreDigest, now: Date) async throws(StorageFailure) -> RateLimitAnswer
        {
            try await inner.take(limit, for: name, now: now)
        }
    }

    /// Renews a session's token at a store that fails so often.
    private func renewed(_ faults: [Fault], of operation: Operation = .replace) async throws -> (
        token: Secret?, after: Secret?, requests: Int
    ) {
        let world = try LogiWorld()
        let sealing = SealingKeys(try .random())
        let store = MemoryServerStore()
        let partner = try LogiPartner(world, store: store, sealing: sealing)
        let start = try await partner.start()
        let callback = try await world.logi(opener: world.nativeApp()).authorize(start)
        let handle = try #require(try await partner.finish(callback).object["session"]?.string)
        let session = try await partner.session(handle)
        world.clock.advance(by: .seconds(3600))
        let failing = try LogiBackend(
            clientID: LogiDevelopment.backendClientID,
            clientSecret: LogiWorld.backendSecret,
            redirectURI: LogiWorld.redirectURI,
            issuer: world.issuer,
            store: Failing(store, operation, faults),
            sealing: sealing,
            dpop: ProofChecking(origins: [ExternalOrigin(LogiPartner.origin)], replays: store),
            transport: world.network,
            clock: world.clock.device
        )
        let before = world.network.count(path: "/oauth/token")
        let token = try? await failing.sessions.accessToken(of: session)
        let after = try? await partner.backend.sessions.accessToken(of: session)
        return (token, after, world.network.count(path: "/oauth/token") - before)
    }

    @Test(
        "Refreshed tokens that the store refused are stored by a later attempt, without another refresh",
        arguments: Fault.allCases
    )
    func keptLater(fault: Fault) async throws {
        let (token, after, requests) = try await renewed([fault, .before, .before])
        #expect(token != nil && token == after && requests == 1)
    }

    @Test(
        "A store that fails before the refresh token is sent loses nothing, and the next call refreshes",
        arguments: Fault.allCases
    )
    func notShown(fault: Fault) async throws {
        let (token, after, requests) = try await renewed([fault], of: .markShown)
        #expect(token == nil && after != nil && requests == 1)
    }

    @Test("A store that fails until the lease ends keeps the refresh token from being sent again")
    func neverKept() async throws {
        let (token, after, requests) = try await renewed(Array(repeating: .before, count: 1000))
        #expect(token == nil && after == nil && requests == 1)
    }

    @Test(
        "A sign-in finished while the store fails is stored once it is back, and the code is redeemed once",
        arguments: [Operation.insert, .record],
        Fault.allCases
    )
    func finishedLater(_ operation: Operation, _ fault: Fault) async throws {
        let world = try LogiWorld()
        let store = MemoryServerStore()
        let failing = Failing(store, operation, [fault, .before, .before])
        let partner = try LogiPartner(world, store: store, backendStore: failing)
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        let answer = try await partner.finish(callback)
        let handle = try #require(answer.object["session"]?.string)
        #expect(answer.status == 200 && world.network.count(path: "/oauth/token") == 1)
        #expect(try await !partner.session(handle).subject.isEmpty)
        #expect(try await partner.finish(callback).object == answer.object)
    }

    @Test("A sign-in whose session is never stored revokes its refresh token")
    func neverBegun() async throws {
        let world = try LogiWorld()
        let store = MemoryServerStore()
        let failing = Failing(store, .insert, Array(repeating: .before, count: 1000))
        let partner = try LogiPartner(world, store: store, backendStore: failing)
        let callback = try await world.logi(opener: world.nativeApp()).authorize(try await partner.start())
        #expect(try await partner.finish(callback).status == 503)
        await partner.backend.sessions.settle()
        #expect(world.network.count(path: "/oauth/revoke") == 1)
    }
}
