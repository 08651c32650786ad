import Foundation
import OstiaryCompatibility
import OstiaryPostgreSQL
import OstiaryServer
import Testing

@testable import OstiaryPostgreSQL

@Suite("Rate limits and waiting callers in PostgreSQL", .timeLimit(.minutes(5)))
struct PostgreSQLLimitTests {
    @Test("A request is counted without waiting for the disk or a standby, unlike what has to outlive a crash")
    func asynchronous() async throws {
        let server = try await PostgreSQLServer()
        let configuration = try await server.database { $0.statementTime = .seconds(30) }
        let migrating = PostgreSQLServerStore(configuration)
        try await migrating.migrate()
        await migrating.close()
        // A standby that there is none of: a commit that waits for it does not return.
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'missing'", in: configuration.database)
        try await server.run("SELECT pg_reload_conf()", in: configuration.database)
        // The setting is not read at once, and holds for connections that are made after it was.
        while try await server.run("SHOW synchronous_standby_names", in: configuration.database) != "missing" {
            try Task.checkCancellation()
        }
        let store = PostgreSQLServerStore(configuration)
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let put = Task { try await store.put([1], as: StoreDigest("value", []), until: now + 60, now: now) }
        while try await server.run(waits, in: configuration.database) == "0" { try Task.checkCancellation() }
        let start = ContinuousClock.now
        #expect(try await store.take(RateLimit(20, per: .seconds(60)), for: StoreDigest("a", []), now: now) == .allowed)
        #expect(ContinuousClock.now - start < .seconds(15))
        try await server.run("ALTER SYSTEM RESET synchronous_standby_names", in: configuration.database)
        try await server.run("SELECT pg_reload_conf()", in: configuration.database)
        #expect(try await put.value)
        await store.close()
    }

    @Test("The metrics say how many connections are in use, and how many calls wait for one")
    func connectionUse() async throws {
        let server = try await PostgreSQLServer.common()
        let configuration = try await server.database {
            $0.connections = 2
            $0.waitingTime = .seconds(60)
            $0.statementTime = .seconds(60)
        }
        let store = PostgreSQLServerStore(configuration)
        try await store.migrate()
        #expect(store.connectionUse == .init(inUse: 0, waiting: 0, maximum: 2))
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let calls = Lock<[Task<RedemptionClaim, any Error>]>([])
        try await server.whileLocked(configuration.database) {
            for number in 0..<3 {
                let call = Task {
                    try await store.claim(
                        StoreDigest("code", ["\(number)"]),
                        for: StoreDigest("request", []),
                        until: now + 60,
                        answeredBy: now + 30,
                        now: now
                    )
                }
                calls.withLock { $0.append(call) }
            }
            while store.connectionUse != .init(inUse: 2, waiting: 1, maximum: 2) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        for call in calls.withLock({ $0 }) { #expect(try await call.value == .claimed) }
        #expect(store.connectionUse == .init(inUse: 0, waiting: 0, maximum: 2))
        await store.close()
        #expect(store.connectionUse.inUse == 0)
    }

    @Test("A caller whose timer fires after it got its answer leaves nothing behind")
    func tickets() {
        var line = ConnectionLine([])
        guard case .wait(let ticket) = line.request() else {
            Issue.record("There is no connection to lend.")
            return
        }
        line.forget(ticket)
        #expect(line.leave(ticket) == nil && line.isEmpty)
        guard case .wait(let next) = line.request() else { return }
        #expect(line.leave(next) == nil && !line.isEmpty)
        line.forget(next)
        #expect(line.isEmpty)
    }
}
