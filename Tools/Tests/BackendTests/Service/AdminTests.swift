import Foundation
import Logging
import NIOHTTP1
import OstiaryJOSE
import OstiaryOAuth
import OstiaryPostgreSQL
import Testing

@testable import Backend

@Suite("The admin port, readiness and upgrades", .timeLimit(.minutes(5)))
struct AdminTests {
    @Test("With an admin port metrics and readiness are served there, and nowhere else")
    func port() async throws {
        let service = try await ServiceFixture(#""admin": {"port": 0}, "#)
        let admin = try #require(service.running.adminPort)
        for path in ["/health", "/ready", "/metrics"] {
            #expect(try await service.get(path, port: admin).0 == 200, "\(path)")
        }
        for path in ["/ready", "/metrics", "/metrics/", "//metrics"] {
            #expect(try await service.get(path).0 == 404, "\(path)")
        }
        #expect(try await service.get("/health").0 == 200)
        await service.running.stop()
    }

    @Test("An issuer without keys does not stop the others from being served")
    func issuers() async throws {
        let other = #"{"path": "/other", "issuer": "http://127.0.0.1:9", "audience": "other"}"#
        let world = try await SignInWorld(
            changing: .init { $0.replacing(#""resources": ["#, with: #""resources": ["# + other + ", ") }
        )
        let ready = try await world.ask(.GET, "/ready")
        #expect(ready.status == 200)
        #expect(ready.object["checks"]?.object?["keys of http://127.0.0.1:9"] == "degraded")
        await world.stop()
    }

    @Test("A service without the keys of its only issuer is not ready, and its log names the issuer and the failure")
    func noKeys() async throws {
        let log = LogBook()
        let other = #""resources": [{"path": "/other", "issuer": "http://127.0.0.1:9", "audience": "other"}], "#
        let service = try await ServiceFixture(other, logger: log.logger)
        let line = try #require(log.lines.first { $0.message == "no keys" })
        #expect(line.level == .warning && line.metadata["issuer"] == "http://127.0.0.1:9")
        #expect(line.metadata["failure"]?.isEmpty == false)
        let (status, text, _) = try await service.get("/ready")
        #expect(status == 503 && text.contains(#""keys of http://127.0.0.1:9":"unavailable""#))
        await service.running.stop()
    }

    @Test("During a rollout with a newer usable schema the instance stays ready and can start")
    func rollingUpgrade() async throws {
        let server = try await PostgreSQLServer.common()
        let database = try await server.database()
        let store = """
            {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
             "database": "\(database.database)", "password": {"environment": "PASSWORD"}, "security": "none"}
            """
        let configuration = try Self.configuration(store)
        let old = try await BackendServer.start(configuration, logger: ServiceFixture.quiet)
        let known = PostgreSQLServerStore.neededSchemaVersion
        // What the later program's migration does: a table more, and its word that this version can go on.
        try await server.run(
            "CREATE TABLE ostiary_later (x int); INSERT INTO ostiary_schema (version, oldest) VALUES (\(known + 1), \(known))",
            in: database.database
        )
        let fixture = ServiceFixture(running: old)
        #expect(try await fixture.get("/ready").0 == 200)
        let another = try await BackendServer.start(configuration, logger: ServiceFixture.quiet)
        #expect(try await ServiceFixture(running: another).get("/ready").0 == 200)
        await another.stop()
        // One that took away what this program needs.
        try await server.run(
            "INSERT INTO ostiary_schema (version, oldest) VALUES (\(known + 2), \(known + 1))",
            in: database.database
        )
        await #expect(throws: PostgreSQLFailure.newerSchema(found: known + 2, known: known)) {
            _ = try await BackendServer.start(configuration, logger: ServiceFixture.quiet)
        }
        await old.stop()
    }

    static func configuration(_ store: String, _ more: String = "") throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        let text = ServiceFixture.text(more).replacing(#"{"type": "memory"}"#, with: store)
        try text.write(toFile: file.path, atomically: true, encoding: .utf8)
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "PASSWORD": PostgreSQLServer.password.reveal()]
        )
    }
}
