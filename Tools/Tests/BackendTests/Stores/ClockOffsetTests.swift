import Foundation
import Logging
import OstiaryPostgreSQL
import Testing

@testable import Backend

@Suite("The clock of an instance and that of its database", .timeLimit(.minutes(5)))
struct ClockOffsetTests {
    private func settings() async throws -> StoreSettings {
        .postgreSQL(try await PostgreSQLServer.common().database())
    }

    /// A service's configuration on a database of its own.
    private func configuration(_ database: PostgreSQLConfiguration) throws -> BackendConfiguration {
        try AdminTests.configuration(
            """
            {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
             "database": "\(database.database)", "password": {"environment": "PASSWORD"}, "security": "none"}
            """
        )
    }

    /// Sets the clock of a database, as connections see it that are opened later.
    private func shift(_ database: PostgreSQLConfiguration, by seconds: Int) async throws {
        let name = database.database
        try await PostgreSQLServer.common().run(
            """
            CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
                $$SELECT pg_catalog.clock_timestamp() + \(seconds) * interval '1 second'$$;
            ALTER DATABASE \(name) SET search_path = public, pg_catalog
            """,
            in: name
        )
    }

    private static func clock(_ shift: Double) -> @Sendable () -> Date {
        { Date().addingTimeInterval(shift) }
    }

    @Test("The database's clock is ahead of a slow machine's, behind a fast one's, and equal to its own")
    func offset() async throws {
        let store = PostgreSQLServerStore(try await PostgreSQLServer.common().database())
        #expect(try await store.clockOffset() == .zero)
        let (ahead, behind) = (
            try await store.clockOffset(now: Self.clock(-100)), try await store.clockOffset(now: Self.clock(100))
        )
        #expect(ahead > .seconds(90) && ahead <= .seconds(100))
        #expect(behind < .seconds(-90) && behind >= .seconds(-100))
        await store.close()
    }

    @Test("A store whose clock differs by more than 10 seconds fails the check", arguments: [-18.0, 18])
    func tooLarge(_ shift: Double) async throws {
        let store = try BackendStore(try await settings())
        try await store.migrate()
        let failure = await #expect(throws: BackendFailure.self) { try await store.check(now: Self.clock(shift)) }
        guard case .clock(let offset) = failure else {
            Issue.record("Another failure: \(String(describing: failure))")
            return
        }
        #expect((offset > .zero) == (shift < 0))
        #expect(failure?.description.contains("at most 10 are allowed") == true)
        #expect(failure?.description.contains("chronyc tracking") == true)
        await store.close()
    }

    @Test(
        "A service whose database's clock is seconds away is degraded, and not ready above 10 seconds; its log says why",
        arguments: [
            (7, 200, "degraded", "clock"), (-7, 200, "degraded", "clock"), (18, 503, "unavailable", "not ready"),
            (-18, 503, "unavailable", "not ready"),
        ]
    )
    func readiness(seconds: Int, status: Int, condition: String, message: String) async throws {
        let database = try await PostgreSQLServer.common().database()
        try await shift(database, by: 0)
        let log = LogBook()
        let service = ServiceFixture(
            running: try await BackendServer.start(try configuration(database), logger: log.logger)
        )
        try await shift(database, by: seconds)
        let (found, text, _) = try await service.get("/ready")
        #expect(found == status && text.contains("\"store\":\"\(condition)\""))
        let line = try #require(log.lines.first { $0.message == message })
        #expect(line.level == .warning)
        if condition == "degraded" {
            let ahead = try #require(line.metadata["database_ahead_seconds"].flatMap(Double.init))
            #expect(abs(ahead - Double(seconds)) < 1)
        } else {
            #expect(line.metadata["failure"]?.contains("at most 10 are allowed") == true)
        }
        await service.running.stop()
    }

    @Test("A service whose database's clock differs by more than 10 seconds does not start", arguments: [-18, 18])
    func refusedStart(seconds: Int) async throws {
        let database = try await PostgreSQLServer.common().database()
        try await shift(database, by: seconds)
        let failure = await #expect(throws: BackendFailure.self) {
            _ = try await BackendServer.start(try configuration(database), logger: ServiceFixture.quiet)
        }
        guard case .clock(let offset) = failure else {
            Issue.record("Another failure: \(String(describing: failure))")
            return
        }
        #expect((offset > .zero) == (seconds > 0))
    }

    @Test("A store whose clock differs by some seconds passes the check, which returns the difference")
    func small() async throws {
        let store = try BackendStore(try await settings())
        try await store.migrate()
        #expect(try await store.check() == .zero)
        let offset = try await store.check(now: Self.clock(-9))
        #expect(offset > .seconds(5) && offset <= .seconds(9))
        await store.close()
    }
}
