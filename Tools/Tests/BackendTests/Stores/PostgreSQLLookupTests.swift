import Dispatch
import Foundation
import OstiaryCompatibility
import Testing

@testable import OstiaryPostgreSQL

@Suite("The names of PostgreSQL hosts", .timeLimit(.minutes(5)))
struct PostgreSQLLookupTests {
    @Test("A name server that does not respond ends a lookup at its deadline, and the next lookup joins the first")
    func hanging() async throws {
        let gate = DispatchSemaphore(value: 0)
        let count = Lock(0)
        let names = NameLookup { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst { gate.wait() }
            return .addresses(["192.0.2.1"])
        }
        for _ in 0..<2 {
            let start = ContinuousClock.now
            let failure = await #expect(throws: PostgreSQLFailure.self) {
                try await names.addresses(of: "db.example", until: .now + .milliseconds(50))
            }
            #expect(failure?.description.contains("has not resolved db.example in time") == true)
            #expect(ContinuousClock.now - start >= .milliseconds(40))
        }
        // The resolver's thread may begin late.
        while count.withLock({ $0 }) == 0 { await Task.yield() }
        #expect(count.withLock { $0 } == 1)
        gate.signal()
        #expect(try await names.addresses(of: "db.example", until: .now + .seconds(60)) == ["192.0.2.1"])
    }

    @Test("A store whose host's name is not resolved in time fails within its time to connect")
    func store() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        var configuration = try PostgreSQLConfiguration(
            host: "db.example",
            database: "app",
            user: "app",
            security: .none
        )
        configuration.connectTime = .milliseconds(200)
        let names = NameLookup { _ in
            gate.wait()
            return .addresses([])
        }
        let connection = PostgreSQLConnection(configuration, names: names)
        let start = ContinuousClock.now
        await #expect(throws: PostgreSQLFailure.self) { try await connection.perform { _ in } }
        // The default: a store that did not heed the setting would take as long.
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test("A name without an address is an error that names it")
    func unknown() async {
        let failure = await #expect(throws: PostgreSQLFailure.self) {
            try await NameLookup { _ in .addresses([]) }.addresses(of: "db.example", until: .now + .seconds(60))
        }
        #expect(failure?.description.contains("db.example has no address") == true)
    }

    @Test("A failed lookup is an error with the resolver's reason")
    func reason() async {
        let failure = await #expect(throws: PostgreSQLFailure.self) {
            try await NameLookup { _ in .failure("Temporary failure") }.addresses(
                of: "db.example",
                until: .now + .seconds(60)
            )
        }
        #expect(failure?.description.contains("The name db.example was not resolved: Temporary failure.") == true)
    }

    @Test("The system's resolver returns each address of this machine once")
    func system() async throws {
        #expect(NameLookup.system("127.0.0.1") == .addresses(["127.0.0.1"]))
        #expect(NameLookup.system("::1") == .addresses(["::1"]))
        let addresses = try await NameLookup().addresses(of: "localhost", until: .now + .seconds(60))
        #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
        #expect(Set(addresses).count == addresses.count)
        guard case .failure(let reason) = NameLookup.system("no such name") else {
            Issue.record("It was found."); return
        }
        #expect(!reason.isEmpty)
    }

    @Test("The second address of a name is used when the first does not respond, and the name is what TLS verifies")
    func secondAddress() async throws {
        let server = try await PostgreSQLServer.common()
        let silent = try SilentSocket(.listening, at: "127.0.0.2", port: server.port)
        let database = try await server.database()
        var configuration = try PostgreSQLConfiguration(
            host: "localhost",
            port: server.port,
            database: database.database,
            user: "app",
            password: PostgreSQLServer.password,
            security: .verified(certificateAuthorities: server.folder.appending(path: "certificate.pem").path)
        )
        configuration.connectTime = .seconds(6)
        let names = NameLookup { _ in .addresses(["127.0.0.2", "127.0.0.1"]) }
        let connection = PostgreSQLConnection(configuration, names: names)
        try await connection.perform { connection async throws(PostgreSQLFailure) in
            _ = try await connection.execute(PostgreSQLStatement("ask", "SELECT 1"))
        }
        await connection.close()
        // A certificate for another name is refused at an address that is right.
        configuration.host = "db.example"
        let other = PostgreSQLConnection(configuration, names: NameLookup { _ in .addresses(["127.0.0.1"]) })
        let failure = await #expect(throws: PostgreSQLFailure.self) { try await other.perform { _ in } }
        #expect(failure?.description.contains("db.example") == true)
        withExtendedLifetime(silent) {}
    }
}
