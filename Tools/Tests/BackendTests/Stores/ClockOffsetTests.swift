import Backend
import Foundation
import OstiaryPostgreSQL
import Testing

@Suite("The clock of an instance and that of its database", .timeLimit(.minutes(5)))
struct ClockOffsetTests {
    private func settings() async throws -> StoreSettings {
        .postgreSQL(try await PostgreSQLServer.common().database())
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
