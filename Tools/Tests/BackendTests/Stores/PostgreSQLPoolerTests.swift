import Foundation
import OstiaryPostgreSQL
import OstiaryTesting
import Testing

@Suite(
    "A PostgreSQL store behind PgBouncer",
    .timeLimit(.minutes(5)),
    .enabled(if: PgBouncerServer.isInstalled, "pgbouncer is not installed: scripts/setup.sh installs it")
)
struct PostgreSQLPoolerTests {
    private func configuration(isTransactionPooler: Bool) async throws -> (PostgreSQLConfiguration, PgBouncerServer) {
        let server = try await PostgreSQLServer.common()
        let database = try await server.database().database
        let pooler = try await PgBouncerServer(before: server)
        var configuration = try PostgreSQLConfiguration(
            host: "127.0.0.1",
            port: pooler.port,
            database: database,
            user: "app",
            password: PostgreSQLServer.password,
            security: .none
        )
        configuration.connections = 4
        configuration.isTransactionPooler = isTransactionPooler
        return (configuration, pooler)
    }

    @Test("A store keeps its promises over a pooler that gives out connections by the transaction")
    func contract() async throws {
        let (configuration, pooler) = try await configuration(isTransactionPooler: true)
        let instances = (0..<3).map { _ in PostgreSQLServerStore(configuration) }
        try await instances[0].migrate()
        try await ServerStoreCheck(
            instances[0],
            others: Array(instances.dropFirst()),
            reopen: { PostgreSQLServerStore(configuration) }
        ).run()
        for instance in instances { await instance.close() }
        withExtendedLifetime(pooler) {}
    }

    @Test("A store without the setting for a pooler is refused at its first connection, and does not fail later")
    func untold() async throws {
        let (configuration, pooler) = try await configuration(isTransactionPooler: false)
        let store = PostgreSQLServerStore(configuration)
        let failure = await #expect(throws: PostgreSQLFailure.self) { try await store.migrate() }
        #expect(failure?.description.contains("options") == true, "\(String(describing: failure))")
        withExtendedLifetime(pooler) {}
    }
}
