import Foundation
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
        let store = PostgreSQLServerStore(configuration)
        try await store.migrate()
        // A standby that there is none of: a commit that waits for it does not return.
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'missing'", in: configuration.database)
        try await server.run("SELECT pg_reload_conf()", in: configuration.database)
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let put = Task { try await store.put([1], as: StoreDigest("value", []), until: now + 60, now: now) }
        while try await server.run(waits, in: configuration.database) == "0" { await Task.yield() }
        let start = ContinuousClock.now
        #expect(try await store.take(RateLimit(20, per: 60), for: StoreDigest("a", []), now: now) == .allowed)
        #expect(ContinuousClock.now - start < .seconds(15))
        try await server.run("ALTER SYSTEM RESET synchronous_standby_names", in: configuration.database)
        try await server.run("SELECT pg_reload_conf()", in: configuration.database)
        #expect(try await put.value)
        await store.close()
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
