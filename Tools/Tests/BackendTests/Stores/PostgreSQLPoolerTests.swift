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
    private func configuration(
        by mode: PgBouncerServer.Mode,
        isTransactionPooler: Bool
    ) async throws -> (PostgreSQLConfiguration, PgBouncerServer) {
        let server = try await PostgreSQLServer.common()
        let database = try await server.database().database
        let pooler = try await PgBouncerServer(before: server, by: mode)
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

    @Test(
        "A store with the setting keeps its promises over PgBouncer in the modes transaction and session",
        arguments: [PgBouncerServer.Mode.transaction, .session]
    )
    func contract(mode: PgBouncerServer.Mode) async throws {
        let (configuration, pooler) = try await configuration(by: mode, isTransactionPooler: true)
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

    @Test(
        "A store without the setting is refused at its first connection in every mode of PgBouncer, with a reason",
        arguments: PgBouncerServer.Mode.allCases
    )
    func untold(mode: PgBouncerServer.Mode) async throws {
        let (configuration, pooler) = try await configuration(by: mode, isTransactionPooler: false)
        let store = PostgreSQLServerStore(configuration)
        let failure = await #expect(throws: PostgreSQLFailure.self) { try await store.migrate() }
        #expect(failure?.description.contains("options") == true, "\(String(describing: failure))")
        await store.close()
        withExtendedLifetime(pooler) {}
    }

    @Test("A store over PgBouncer in the mode statement fails at the start, where tables are migrated")
    func statement() async throws {
        let (configuration, pooler) = try await configuration(by: .statement, isTransactionPooler: true)
        let store = PostgreSQLServerStore(configuration)
        await #expect(throws: PostgreSQLFailure.self) { try await store.migrate() }
        await store.close()
        withExtendedLifetime(pooler) {}
    }
}
