import Foundation
import OstiaryOAuth
import OstiaryServer
import OstiaryTesting
import OstiaryValkey
import Testing

@Suite("Replays and limits in Valkey", .timeLimit(.minutes(5)))
struct ValkeyStoreTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let owner = StoreDigest("owner", [])

    private func insert(_ name: String, into store: ValkeyStore, at seconds: Double = 0) async throws -> ReplayAnswer {
        try await store.insert(
            StoreDigest("proof", [name]),
            owner: owner,
            until: now + seconds + 60,
            now: now + seconds
        )
    }

    @Test("The Valkey store keeps the promises of replays and limits, from three instances and after a restart")
    func contract() async throws {
        let server = try await ValkeyServer()
        let configuration = try server.configuration()
        let instances = (0..<3).map { _ in ValkeyStore(configuration) }
        try await RequestStoreCheck(
            instances[0],
            others: Array(instances.dropFirst()),
            reopen: {
                try await server.crash()
                try await server.start()
                return ValkeyStore(configuration)
            }
        ).run()
        for instance in instances { instance.close() }
    }

    @Test("An owner's room is counted exactly, and identifiers that have expired leave it")
    func room() async throws {
        let server = try await ValkeyServer()
        let store = ValkeyStore(try server.configuration(), replayRoom: 2)
        #expect(try await insert("a", into: store) == .inserted)
        #expect(try await insert("b", into: store, at: 1) == .inserted)
        #expect(try await insert("c", into: store, at: 2) == .full)
        #expect(try await insert("a", into: store, at: 2) == .replayed)
        let other = StoreDigest("another", [])
        let answer = try await store.insert(StoreDigest("proof", ["d"]), owner: other, until: now + 60, now: now)
        #expect(answer == .inserted)
        #expect(try await insert("c", into: store, at: 60) == .inserted)
        #expect(try await insert("d2", into: store, at: 60) == .full)
    }

    @Test("Services with different key prefixes share nothing on one server")
    func prefixes() async throws {
        let server = try await ValkeyServer()
        let one = ValkeyStore(try server.configuration())
        let two = ValkeyStore(try server.configuration { $0.keyPrefix = "other:" })
        #expect(try await insert("a", into: one) == .inserted)
        #expect(try await insert("a", into: two) == .inserted)
        #expect(try await insert("a", into: two) == .replayed)
    }

    @Test("A limit of any size and a token of any lifetime are answered, and neither traps")
    func extremes() async throws {
        let server = try await ValkeyServer()
        let store = ValkeyStore(try server.configuration())
        let name = StoreDigest("sender", [])
        #expect(try await store.take(RateLimit(1, per: .seconds(Int64.max)), for: name, now: now) == .allowed)
        #expect(try await store.take(RateLimit(1, per: .seconds(Int64.max)), for: name, now: now) != .allowed)
        let far = StoreDigest("far", [])
        #expect(try await store.insert(far, owner: owner, until: .distantFuture, now: now) == .inserted)
        #expect(try await store.contains(far, now: now + 1e9))
        let endless = Date(timeIntervalSince1970: .greatestFiniteMagnitude)
        let last = StoreDigest("last", [])
        #expect(try await store.insert(last, owner: owner, until: endless, now: now) == .inserted)
        #expect(try await store.insert(last, owner: owner, until: endless, now: now) == .replayed)
    }

    @Test("While the server is gone every call fails within the time limit, and afterwards they are answered again")
    func crash() async throws {
        let server = try await ValkeyServer()
        let failures = ValkeyFailures()
        let store = ValkeyStore(try server.configuration { $0.timeLimit = .milliseconds(400) }, events: failures.add)
        #expect(try await insert("a", into: store) == .inserted)
        try await server.crash()
        let start = ContinuousClock.now
        for _ in 0..<3 {
            await #expect(throws: StorageFailure.self) { try await insert("b", into: store) }
        }
        await #expect(throws: StorageFailure.self) {
            try await store.take(RateLimit(1, per: .seconds(60)), for: owner, now: now)
        }
        await #expect(throws: ValkeyFailure.self) { try await store.check() }
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(!failures.all.isEmpty)
        try await server.start()
        while (try? await insert("a", into: store)) != .replayed { try Task.checkCancellation() }
    }

    @Test("A server that no longer answers costs a caller the time limit, and another word than one that is gone")
    func hanging() async throws {
        let server = try await ValkeyServer()
        let failures = ValkeyFailures()
        let store = ValkeyStore(try server.configuration { $0.timeLimit = .milliseconds(300) }, events: failures.add)
        #expect(try await insert("a", into: store) == .inserted)
        try await server.freeze()
        let start = ContinuousClock.now
        await #expect(throws: StorageFailure.locked) { try await insert("b", into: store) }
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect("\(failures.all)".contains("Valkey took too long for: record a replay identifier."))
        // The connection that waits is closed by then or not.
        await #expect(throws: ValkeyFailure.self) { try await store.check() }
        try await server.thaw()
        while (try? await insert("a", into: store)) != .replayed { try Task.checkCancellation() }
    }

    @Test("More calls than connections are answered one after the other")
    func connections() async throws {
        let server = try await ValkeyServer()
        let store = ValkeyStore(
            try server.configuration {
                $0.connections = 1
                $0.timeLimit = .seconds(60)
            }
        )
        try await withThrowingTaskGroup(of: ReplayAnswer.self) { group in
            for number in 0..<100 { group.addTask { try await insert("\(number)", into: store) } }
            for try await answer in group { #expect(answer == .inserted) }
        }
    }

    @Test("A caller that is cancelled leaves its call to its end, and the connection is used again")
    func cancelled() async throws {
        let server = try await ValkeyServer()
        let store = ValkeyStore(try server.configuration { $0.connections = 1 })
        let call = Task { try await insert("a", into: store) }
        call.cancel()
        _ = try? await call.value
        #expect(try await insert("b", into: store) == .inserted)
    }

    @Test("A cancelled call is not reported as a failure of the server")
    func cancelledCaller() async throws {
        let server = try await ValkeyServer()
        let failures = ValkeyFailures()
        let store = ValkeyStore(try server.configuration(), events: failures.add)
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await insert("a", into: store)
        }
        await #expect(throws: StorageFailure.self) { try await call.value }
        #expect(failures.all.isEmpty)
    }

    @Test("A store that was closed refuses every call")
    func closed() async throws {
        let server = try await ValkeyServer()
        let failures = ValkeyFailures()
        let store = ValkeyStore(try server.configuration(), events: failures.add)
        #expect(try await insert("a", into: store) == .inserted)
        store.close()
        await #expect(throws: StorageFailure.unavailable) { try await insert("b", into: store) }
        #expect("\(failures.all)".contains("closed"))
    }

    @Test("A configuration that could mean something else is refused", arguments: ["", "valkey://host", "a,b"])
    func configuration(host: String) {
        #expect(throws: SignInError.self) { _ = try ValkeyConfiguration(host: host, security: .none) }
    }

    @Test("A user without a password, or a port that is none, is refused")
    func members() {
        #expect(throws: SignInError.self) { _ = try ValkeyConfiguration(host: "a", user: "u", security: .none) }
        #expect(throws: SignInError.self) { _ = try ValkeyConfiguration(host: "a", port: 0, security: .none) }
    }
}
