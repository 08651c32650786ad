import AsyncHTTPClient
import Backend
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import OstiaryOAuth
import OstiaryPostgreSQL
import Testing

@Suite("The service")
struct BackendServerTests {
    private let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    @Test("The backend serves health, readiness and metrics, and frees its port when it stops")
    func life() async throws {
        let file = try TemporaryFile()
        let server = try await BackendServer.start(
            try configuration("{\"type\": \"sqlite\", \"path\": \"\(file.path)\"}"),
            logger: quiet
        )
        #expect(try await status("/health", server) == 200)
        #expect(try await status("/ready", server) == 200)
        #expect(try await status("/metrics", server) == 200)
        #expect(try await status("/nothing", server) == 404)
        await server.stop()
        await #expect(throws: (any Error).self) { _ = try await status("/health", server) }
    }

    @Test("Two instances on one database start at once; without the database neither is ready, and both live")
    func database() async throws {
        let postgres = try await PostgreSQLServer()
        let database = try await postgres.database()
        let store = """
            {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
             "database": "\(database.database)", "password": {"environment": "PASSWORD"}, "security": "none",
             "connect_seconds": 2}
            """
        let configuration = try configuration(store)
        async let one = BackendServer.start(configuration, logger: quiet)
        async let two = BackendServer.start(configuration, logger: quiet)
        let servers = try await [one, two]
        for server in servers { #expect(try await status("/ready", server) == 200) }
        try await postgres.crash()
        for server in servers {
            #expect(try await readiness(of: server, becoming: 503) == 503)
            #expect(try await status("/health", server) == 200)
        }
        try await postgres.start()
        for server in servers {
            #expect(try await readiness(of: server, becoming: 200) == 200)
            await server.stop()
        }
    }

    @Test("A service that does not migrate refuses tables that are not there")
    func migrationByCommand() async throws {
        let database = try await PostgreSQLServer.common().database()
        let store = """
            {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
             "database": "\(database.database)", "password": {"environment": "PASSWORD"}, "security": "none"}
            """
        let configuration = try configuration(store, #""migrate": "by_command", "#)
        await #expect(throws: (any Error).self) { _ = try await BackendServer.start(configuration, logger: quiet) }
        let opened = try BackendStore(configuration.store)
        try await opened.migrate()
        await opened.close()
        try await BackendServer.start(configuration, logger: quiet).stop()
    }

    @Test("A code handed over without a configuration of the handoff is not found, and with one a bad body is refused")
    func handoff() async throws {
        let server = try await BackendServer.start(
            try configuration(
                "{\"type\": \"memory\"}",
                #""ssafy": {"client_id": "a", "redirect_uris": ["https://app.example.com/callback"]}, "#
            ),
            logger: quiet
        )
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/ssafy/verify")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: "{}"))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        #expect(response.status == .badRequest)
        let body = String(buffer: try await response.body.collect(upTo: 4096))
        #expect(body.contains("INVALID_REQUEST"))
        await server.stop()
    }

    @Test("An unusable certificate is refused before the backend listens")
    func certificate() async throws {
        let configuration = try configuration(
            "{\"type\": \"memory\"}",
            #""tls": {"certificate_chain": "/nowhere/chain.pem", "private_key": "/nowhere/key.pem"}, "#
        )
        await #expect(throws: BackendFailure.certificate("/nowhere/chain.pem, /nowhere/key.pem")) {
            try await BackendServer.check(configuration)
        }
    }

    private func configuration(_ store: String, _ more: String = "") throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        let text = """
            {"listen": {"port": 0}, "origins": ["https://api.example.com"], "store": \(store), \(more)
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}]}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "PASSWORD": PostgreSQLServer.password.reveal()]
        )
    }

    /// The status of `/ready`, once it is the expected one or ten seconds are over: an answer holds for one second.
    private func readiness(of server: RunningBackend, becoming expected: Int) async throws -> Int {
        let start = ContinuousClock.now
        var found = try await status("/ready", server)
        while found != expected, ContinuousClock.now - start < .seconds(10) {
            found = try await status("/ready", server)
        }
        return found
    }

    private func status(_ path: String, _ server: RunningBackend) async throws -> Int {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(path)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        _ = try await response.body.collect(upTo: 1_048_576)
        return Int(response.status.code)
    }
}
