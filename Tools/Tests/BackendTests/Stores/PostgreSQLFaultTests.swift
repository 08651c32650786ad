import Foundation
import OstiaryOAuth
import OstiaryPostgreSQL
import OstiaryServer
import Testing

/// The store's behavior when the database fails.
@Suite("PostgreSQL may fail")
struct PostgreSQLFaultTests {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let failures = Failures()

    @Test(
        "After a crash and a restart of the server the next call connects anew, and nothing that was answered is lost"
    )
    func restart() async throws {
        // A server of its own, since the other tests need theirs.
        let server = try await PostgreSQLServer()
        let store = try await migrated(server) { $0.connectTime = .milliseconds(1500) }
        #expect(try await claim("code", in: store) == .claimed)
        try await server.crash()
        await #expect(throws: StorageFailure.unavailable) { _ = try await claim("code", in: store) }
        await #expect(throws: StorageFailure.unavailable) { _ = try await claim("other", in: store) }
        try await server.start()
        #expect(try await claim("code", in: store) == .underWay)
        #expect(try await claim("other", in: store) == .claimed)
        #expect(failures.all.count == 2)
        for failure in failures.all { #expect(failure.isTransient) }
    }

    @Test("A server that starts while a call waits for it answers the call")
    func slowStart() async throws {
        let server = try await PostgreSQLServer()
        let store = try await migrated(server) { $0.connectTime = .seconds(10) }
        try await server.crash()
        let answer = Task { try await claim("code", in: store) }
        try await server.start()
        #expect(try await answer.value == .claimed)
        #expect(failures.all == [])
    }

    @Test("A dropped idle connection is detected before it is used")
    func cutWhileIdle() async throws {
        let (server, configuration) = try await common()
        let store = try await migrated(configuration)
        #expect(try await claim("code", in: store) == .claimed)
        try await cutConnections(server, configuration)
        #expect(try await claim("code", in: store) == .underWay)
        #expect(failures.all == [])
    }

    @Test("A connection that is cut in the middle of a statement fails the call once, and the next one works")
    func cutInTheMiddle() async throws {
        let (server, configuration) = try await common { $0.connections = 1 }
        let store = try await migrated(configuration)
        try await server.whileLocked(configuration.database) {
            let answer = Task { try await claim("code", in: store) }
            try await server.untilBlocked(1, configuration.database)
            try await cutConnections(server, configuration)
            await #expect(throws: StorageFailure.unavailable) { _ = try await answer.value }
        }
        #expect(failures.all.count == 1)
        #expect(try await claim("code", in: store) == .claimed)
    }

    @Test("A statement that takes too long is given up, and its connection is used again")
    func statementTimeout() async throws {
        let (server, configuration) = try await common {
            $0.connections = 1
            $0.statementTime = .milliseconds(150)
        }
        let store = try await migrated(configuration)
        let connection = """
            SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ostiary'
            """
        let before = try await server.run(connection, in: configuration.database)
        // The server waits for the lock while it prepares the statement, which has not been used before.
        try await server.whileLocked(configuration.database) {
            await #expect(throws: StorageFailure.locked) { _ = try await claim("code", in: store) }
        }
        #expect(failures.all == [.timedOut("claim a code")])
        #expect(try await claim("code", in: store) == .claimed)
        #expect(try await server.run(connection, in: configuration.database) == before)
    }

    @Test("A call that gets no connection in time fails as locked, and the calls that wait longer succeed")
    func fullPool() async throws {
        let (server, configuration) = try await common {
            $0.connections = 1
            $0.waitingTime = .milliseconds(100)
        }
        let store = try await migrated(configuration)
        try await server.whileLocked(configuration.database) {
            let first = Task { try await claim("first", in: store) }
            try await server.untilBlocked(1, configuration.database)
            await #expect(throws: StorageFailure.locked) { _ = try await claim("second", in: store) }
            #expect(failures.all == [.busy])
            try await server.unlock(configuration.database)
            #expect(try await first.value == .claimed)
        }
        #expect(try await claim("second", in: store) == .claimed)
    }

    @Test("A cancelled wait for a connection ends, and takes no connection")
    func cancelledWait() async throws {
        let (server, configuration) = try await common {
            $0.connections = 1
            $0.waitingTime = .seconds(60)
        }
        let store = try await migrated(configuration)
        try await server.whileLocked(configuration.database) {
            let first = Task { try await claim("first", in: store) }
            try await server.untilBlocked(1, configuration.database)
            let second = Task { try await claim("second", in: store) }
            second.cancel()
            await #expect(throws: StorageFailure.locked) { _ = try await second.value }
            try await server.unlock(configuration.database)
            #expect(try await first.value == .claimed)
        }
        #expect(try await claim("second", in: store) == .claimed)
    }

    @Test("Calls that wait for the database keep no thread of Swift's pool")
    func threads() async throws {
        let (server, configuration) = try await common { $0.connections = 16 }
        let store = try await migrated(configuration)
        try await server.whileLocked(configuration.database) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 { group.addTask { _ = try await claim("\(number)", in: store) } }
                // More calls wait than the pool has threads; this goes on all the same.
                try await server.untilBlocked(16, configuration.database)
                try await server.unlock(configuration.database)
                try await group.waitForAll()
            }
        }
    }

    @Test(
        "A server that accepts the connection and stays silent is given up in time, with TLS and without",
        arguments: [PostgreSQLConfiguration.TransportSecurity.none, .encryptedWithoutVerification]
    )
    func silence(security: PostgreSQLConfiguration.TransportSecurity) async throws {
        let silent = try SilentSocket(.listening)
        var configuration = try PostgreSQLConfiguration(
            host: "127.0.0.1",
            port: silent.port,
            database: "app",
            user: "app",
            password: PostgreSQLServer.password,
            security: security
        )
        configuration.connectTime = .milliseconds(200)
        let store = PostgreSQLServerStore(configuration, events: failures.add)
        let duration = await ContinuousClock().measure {
            await #expect(throws: StorageFailure.unavailable) { _ = try await claim("code", in: store) }
        }
        // The event loops are shared with every other test of the process.
        #expect(duration < .seconds(30))
        #expect(failures.all == [.unreachable("It took too long.")])
    }

    @Test("A wrong database password is reported without the password")
    func wrongPassword() async throws {
        let (_, configuration) = try await common {
            $0.password = Secret("wrong-password-1")
            $0.connectTime = .seconds(10)
        }
        let store = PostgreSQLServerStore(configuration, events: failures.add)
        await #expect(throws: StorageFailure.unavailable) { _ = try await claim("code", in: store) }
        let text = failures.all.map { "\($0) \(String(reflecting: $0))" }.joined()
        #expect(text.contains("authentication failed"))
        #expect(!text.contains("wrong-password-1"))
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains("wrong-password-1"))
    }

    @Test("A server that neither answers a statement nor ends it loses its connection a second after the time limit")
    func stopped() async throws {
        let server = try await PostgreSQLServer()
        let store = try await migrated(server) {
            $0.connections = 1
            $0.statementTime = .seconds(1)
        }
        let query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'ostiary'"
        let process = try #require(pid_t(try await server.run(query, in: "postgres")))
        kill(process, SIGSTOP)
        await #expect(throws: StorageFailure.locked) { _ = try await claim("code", in: store) }
        kill(process, SIGCONT)
        #expect(failures.all == [.timedOut("claim a code")])
        #expect(try await claim("other", in: store) == .claimed)
        await store.close()
    }

    @Test("A closed store fails every call as unavailable")
    func closed() async throws {
        let (_, configuration) = try await common()
        let store = try await migrated(configuration)
        await store.close()
        await #expect(throws: StorageFailure.unavailable) { _ = try await claim("code", in: store) }
        #expect(failures.all == [.closed])
    }

    // MARK: Pieces

    private func common(
        _ change: @Sendable (inout PostgreSQLConfiguration) -> Void = { _ in }
    ) async throws -> (PostgreSQLServer, PostgreSQLConfiguration) {
        let server = try await PostgreSQLServer.common()
        return (server, try await server.database(change))
    }

    private func migrated(
        _ server: PostgreSQLServer,
        _ change: @Sendable (inout PostgreSQLConfiguration) -> Void
    ) async throws -> PostgreSQLServerStore {
        try await migrated(server.database(change))
    }

    private func migrated(_ configuration: PostgreSQLConfiguration) async throws -> PostgreSQLServerStore {
        let store = PostgreSQLServerStore(configuration, events: failures.add)
        try await store.migrate()
        return store
    }

    private func claim(_ code: String, in store: PostgreSQLServerStore) async throws -> RedemptionClaim {
        try await store.claim(
            StoreDigest("code", [code]),
            for: StoreDigest("request", [code]),
            until: now + 600,
            answeredBy: now + 60,
            now: now
        )
    }

    private func cutConnections(_ server: PostgreSQLServer, _ configuration: PostgreSQLConfiguration) async throws {
        try await server.run(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = '\(configuration.database)' AND application_name = 'ostiary'
            """,
            in: "postgres"
        )
    }

    @Test(
        "The first reachable writable host is used, and a silent host delays the connection briefly"
    )
    func hosts() async throws {
        var configuration = try await PostgreSQLServer.common().database()
        configuration.connectTime = .seconds(6)
        configuration.connections = 1
        // No server answers at the first two: an address for documentation, and a folder without a socket.
        configuration.host = "/nowhere,\(configuration.host)"
        let store = PostgreSQLServerStore(configuration)
        try await store.migrate()
        #expect(try await store.schemaVersion() == PostgreSQLServerStore.neededSchemaVersion)
        await store.close()
    }

    @Test("A wrong database password is reported with its SQLSTATE, and not sent again for a second")
    func rejected() async throws {
        let server = try await PostgreSQLServer.common()
        var configuration = try await server.database()
        configuration.password = Secret("wrong")
        configuration.connections = 1
        let store = PostgreSQLServerStore(configuration)
        let began = ContinuousClock.now
        for _ in 0..<20 {
            do throws(PostgreSQLFailure) {
                _ = try await store.schemaVersion()
                Issue.record("A wrong password was taken.")
            } catch {
                guard case .rejected(let reason, state: "28P01") = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(!reason.contains("wrong"))
            }
        }
        #expect(began.duration(to: .now) < .seconds(3))
        await store.close()
    }

    @Test("A connection to a server that refuses writes is not used again: the next one is to a server that takes them")
    func standby() async throws {
        let server = try await PostgreSQLServer()
        let store = try await migrated(server) {
            $0.connections = 1
            $0.connectTime = .seconds(2)
        }
        _ = try await claim("code", in: store)
        // As a primary that went on as a standby.
        try await server.run("ALTER SYSTEM SET default_transaction_read_only = on", in: "postgres")
        try await server.run("SELECT pg_reload_conf()", in: "postgres")
        for _ in 0..<5000 where !failures.all.contains(where: { $0.name == "refused_25006" }) {
            _ = try? await claim("other", in: store)
        }
        #expect(failures.all.map(\.name) == ["refused_25006"])
        _ = try? await claim("other", in: store)
        #expect(failures.all.map(\.name) == ["refused_25006", "unreachable"])
        try await server.run("ALTER SYSTEM RESET default_transaction_read_only", in: "postgres")
        try await server.run("SELECT pg_reload_conf()", in: "postgres")
        var claimed: RedemptionClaim?
        for _ in 0..<5000 where claimed == nil { claimed = try? await claim("third", in: store) }
        #expect(claimed == .claimed)
        await store.close()
    }
}
