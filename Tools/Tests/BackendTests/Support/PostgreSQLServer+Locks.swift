import Foundation

extension PostgreSQLServer {
    /// Does something while another session keeps the table of codes locked.
    nonisolated func whileLocked(_ database: String, _ body: () async throws -> Void) async throws {
        let holder = Task {
            // It ends with its connection, which unlocking cuts.
            _ = try? await run("BEGIN; LOCK TABLE ostiary_redemption; SELECT pg_sleep(60)", in: database)
        }
        try await until(
            "1 = (SELECT count(*) FROM pg_locks WHERE relation = 'ostiary_redemption'::regclass AND granted)",
            database
        )
        do {
            try await body()
            try await unlock(database)
        } catch {
            try await unlock(database)
            throw error
        }
        await holder.value
    }

    /// Ends the lock.
    nonisolated func unlock(_ database: String) async throws {
        try await run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'psql' AND pid <> pg_backend_pid()
            """,
            in: database
        )
    }

    /// Waits until so many calls wait for the lock.
    nonisolated func untilBlocked(_ count: Int, _ database: String) async throws {
        try await until(
            """
            \(count) = (SELECT count(*) FROM pg_stat_activity
                WHERE wait_event_type = 'Lock' AND datname = current_database())
            """,
            database
        )
    }

    /// Waits until something is true of the server, and not longer than ten seconds.
    private nonisolated func until(_ condition: String, _ database: String) async throws {
        try await run(
            """
            DO $$ BEGIN
                FOR attempt IN 1..1000 LOOP
                    EXIT WHEN \(condition);
                    PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
                END LOOP;
            END $$
            """,
            in: database
        )
    }
}
