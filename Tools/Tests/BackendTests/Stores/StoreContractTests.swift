import Foundation
import OstiaryPostgreSQL
import OstiarySQLite
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("Every store keeps the promises of a backend's store")
struct StoreContractTests {
    @Test("The memory store keeps the promises of a server store")
    func memory() async throws { try await ServerStoreCheck(MemoryServerStore()).run() }

    @Test("The SQLite store keeps the promises of a server store, from two processes and after a restart")
    func sqlite() async throws {
        let file = try TemporaryFile()
        try await ServerStoreCheck(
            try SQLiteServerStore(path: file.path),
            others: [try SQLiteServerStore(path: file.path)],
            reopen: { try SQLiteServerStore(path: file.path) }
        ).run()
    }

    @Test("The PostgreSQL store keeps the promises of a server store, from three instances and after a restart")
    func postgreSQL() async throws {
        let configuration = try await PostgreSQLServer.common().database()
        let instances = (0..<3).map { _ in PostgreSQLServerStore(configuration) }
        try await instances[0].migrate()
        try await ServerStoreCheck(
            instances[0],
            others: Array(instances.dropFirst()),
            reopen: { PostgreSQLServerStore(configuration) }
        ).run()
        for instance in instances { await instance.close() }
    }
}
