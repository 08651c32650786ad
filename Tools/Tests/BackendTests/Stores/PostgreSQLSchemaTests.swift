import Foundation
import OstiaryPostgreSQL
import OstiaryServer
import Testing

@Suite("The schema in PostgreSQL")
struct PostgreSQLSchemaTests {
    @Test("Instances that start at once migrate once")
    func migrations() async throws {
        let server = try await PostgreSQLServer.common()
        let configuration = try await server.database { $0.connections = 1 }
        let versions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let store = PostgreSQLServerStore(configuration)
                    let version = try await store.migrate()
                    await store.close()
                    return version
                }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(versions == [PostgreSQLServerStore.neededSchemaVersion])
        let rows = try await server.run("SELECT count(*) FROM ostiary_schema", in: configuration.database)
        #expect(rows == String(PostgreSQLServerStore.neededSchemaVersion))
    }

    @Test("A database without tables is reported, and a failed migration leaves none")
    func empty() async throws {
        let server = try await PostgreSQLServer.common()
        let configuration = try await server.database()
        let store = PostgreSQLServerStore(configuration)
        await #expect(throws: PostgreSQLFailure.refused("read the schema's version", state: "42P01")) {
            _ = try await store.schemaVersion()
        }
        // Another program's table stands in the way of the last one.
        try await server.run("CREATE TABLE ostiary_limit (x int)", in: configuration.database)
        await #expect(throws: PostgreSQLFailure.refused("migrate", state: "42P07")) { _ = try await store.migrate() }
        let tables = "SELECT string_agg(tablename, ' ') FROM pg_tables WHERE tablename LIKE 'ostiary%'"
        #expect(try await server.run(tables, in: configuration.database) == "ostiary_limit")
        try await server.run("DROP TABLE ostiary_limit", in: configuration.database)
        #expect(try await store.migrate() == PostgreSQLServerStore.neededSchemaVersion)
        #expect(try await store.schemaVersion() == PostgreSQLServerStore.neededSchemaVersion)
    }

    @Test("A schema of a later version is refused, and left unchanged")
    func newer() async throws {
        let server = try await PostgreSQLServer.common()
        let configuration = try await server.database()
        let store = PostgreSQLServerStore(configuration)
        let known = try await store.migrate()
        // A program that says nothing of older ones, and one that says that it ends them.
        try await server.run("INSERT INTO ostiary_schema (version) VALUES (\(known + 1))", in: configuration.database)
        let failure = PostgreSQLFailure.newerSchema(found: known + 1, known: known)
        await #expect(throws: failure) { _ = try await store.migrate() }
        await #expect(throws: failure) { _ = try await store.schemaVersion() }
        let table = "UPDATE ostiary_schema SET oldest = \(known + 1) WHERE version = \(known + 1)"
        try await server.run(table, in: configuration.database)
        await #expect(throws: failure) { _ = try await store.schemaVersion() }
    }

    @Test(
        "A later schema that this version can use is used, and an earlier one is migrated"
    )
    func additive() async throws {
        let server = try await PostgreSQLServer.common()
        let configuration = try await server.database()
        let store = PostgreSQLServerStore(configuration)
        let known = try await store.migrate()
        let later = "INSERT INTO ostiary_schema (version, oldest) VALUES (\(known + 1), \(known))"
        try await server.run(later, in: configuration.database)
        #expect(try await store.migrate() == known + 1)
        #expect(try await store.schemaVersion() == known + 1)
        // As the second version left it, which knew nothing of the column.
        try await server.run(
            """
            DELETE FROM ostiary_schema WHERE version > 2;
            ALTER TABLE ostiary_schema DROP COLUMN oldest;
            DROP TABLE ostiary_pending_revocation
            """,
            in: configuration.database
        )
        #expect(try await store.schemaVersion() == 2)
        #expect(try await store.migrate() == known)
    }

    @Test("The tables whose rows change most are vacuumed early, and a lease finds room in its page")
    func storage() async throws {
        let server = try await PostgreSQLServer.common()
        let configuration = try await server.database()
        try await PostgreSQLServerStore(configuration).migrate()
        let options = "SELECT relname || array_to_string(reloptions, ' ') FROM pg_class WHERE reloptions IS NOT NULL"
        let found = try await server.run(options + " AND relname LIKE 'ostiary%'", in: configuration.database)
        #expect(found.contains("ostiary_sessionfillfactor=85 autovacuum_vacuum_scale_factor=0.05"))
        #expect(found.contains("ostiary_replayautovacuum_vacuum_scale_factor=0.02"))
    }

    @Test("Instances that clean up at once remove each expired row once, and nothing else")
    func cleaning() async throws {
        let configuration = try await PostgreSQLServer.common().database()
        let stores = (0..<4).map { _ in PostgreSQLServerStore(configuration) }
        try await stores[0].migrate()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let owner = StoreDigest("owner", [])
        for number in 0..<200 {
            let expiry = now + (number < 150 ? 10 : 30)
            _ = try await stores[number % 4].insert(
                StoreDigest("proof", ["\(number)"]),
                owner: owner,
                until: expiry,
                now: now
            )
        }
        let removed = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores {
                group.addTask {
                    var removed = 0
                    // One that has passed over another's rows sees them gone the next time.
                    for _ in 0..<10 { removed += try await store.removeExpired(limit: 20, now: now + 20) }
                    return removed
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(removed == 150)
    }

    @Test("A full replay quota in PostgreSQL affects its owner alone, until entries expire")
    func room() async throws {
        let configuration = try await PostgreSQLServer.common().database()
        let store = PostgreSQLServerStore(configuration, replayRoom: 20)
        try await store.migrate()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        func insert(_ name: String, _ owner: String, _ seconds: Double = 0) async throws -> ReplayAnswer {
            try await store.insert(
                StoreDigest("proof", [name]),
                owner: StoreDigest("owner", [owner]),
                until: now + seconds + 10,
                now: now + seconds
            )
        }
        for number in 0..<20 { #expect(try await insert("\(number)", "greedy") == .inserted) }
        #expect(try await insert("20", "greedy") == .full)
        #expect(try await insert("3", "greedy") == .replayed)
        #expect(try await insert("20", "modest") == .inserted)
        #expect(try await insert("21", "greedy", 10) == .inserted)
    }
}
