import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryOAuth
import OstiaryPostgreSQL
import Testing

/// The older program, which `scripts/upgrade.sh` builds.
private enum OlderProgram {
    static let url = ProcessInfo.processInfo.environment["OSTIARY_OLD_BACKEND"].map { URL(filePath: $0) }
}

/// An older program and this one on one database, in the order that docs/operations.md gives.
@Suite(
    "Two versions of the service on one database",
    .timeLimit(.minutes(5)),
    .enabled(if: OlderProgram.url != nil, "OSTIARY_OLD_BACKEND names no program: scripts/upgrade.sh sets it")
)
struct UpgradeTests {
    private static let environment = ["PASSWORD": PostgreSQLServer.password.reveal()]

    /// A configuration on an own database, with an endpoint that counts requests there.
    private func text(_ migration: String, limit: Int = 1000) async throws -> (text: String, database: String) {
        let database = try await PostgreSQLServer.common().database()
        let text = """
            {"listen": {"port": 0}, "origins": ["https://api.example.com"], "migrate": "\(migration)",
             "store": {"type": "postgresql", "host": "\(database.host)", "port": \(database.port), "user": "app",
                       "database": "\(database.database)", "password": {"environment": "PASSWORD"},
                       "security": "none", "connections": 2},
             "ssafy": {"client_id": "a", "redirect_uris": ["https://app.example.com/callback"],
                       "requests_per_minute_and_sender": \(limit)},
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}]}
            """
        return (text, database.database)
    }

    private func ask(_ path: String, of process: BackendProcess, body: String? = nil) async throws -> (Int, String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(process.port)\(path)")
        if let body {
            request.method = .POST
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let text = String(buffer: try await response.body.collect(upTo: 65_536))
        return (Int(response.status.code), text)
    }

    private func status(_ path: String, of process: BackendProcess, body: String? = nil) async throws -> Int {
        try await ask(path, of: process, body: body).0
    }

    /// Whether a process can use the tables, and serves a request that is counted in the database.
    private func serves(_ process: BackendProcess) async throws -> Bool {
        // The issuer of the codes cannot be reached from a test, which /ready says besides.
        let isReady = try await ask("/ready", of: process).1.contains(#""store":"ready""#)
        // The request is counted first, and then found to be none.
        return try await status("/ssafy/verify", of: process, body: "{}") == 400 && isReady
    }

    @Test("The older program serves before, while and after the tables are migrated and the new program starts")
    func order() async throws {
        let (byCommand, database) = try await text("by_command")
        let server = try await PostgreSQLServer.common()
        let (environment, older) = (Self.environment, try #require(OlderProgram.url))
        #expect(try await BackendProcess.run("migrate", text: byCommand, environment: environment, program: older) == 0)
        let versions = "SELECT max(version) FROM ostiary_schema"
        let before = try await server.run(versions, in: database)
        let first = try await BackendProcess(text: byCommand, program: older, environment: environment)
        #expect(try await serves(first))
        // The new program does not start on older tables, and does not change them.
        let version = try #require(Int(before.trimmingCharacters(in: .whitespacesAndNewlines)))
        if version < PostgreSQLServerStore.neededSchemaVersion {
            await #expect(throws: (any Error).self) {
                _ = try await BackendProcess(text: byCommand, environment: environment)
            }
        }
        #expect(try await server.run(versions, in: database) == before)
        // 1. The tables.
        #expect(try await BackendProcess.run("migrate", text: byCommand, environment: environment) == 0)
        #expect(try await serves(first))
        // 2. An instance after the other.
        let second = try await BackendProcess(text: byCommand, environment: environment)
        #expect(try await serves(second))
        #expect(try await serves(first))
        // The older one can be restarted meanwhile, and migrating with it changes nothing.
        let after = try await server.run(versions, in: database)
        #expect(try await BackendProcess.run("migrate", text: byCommand, environment: environment, program: older) == 0)
        #expect(try await server.run(versions, in: database) == after)
        let third = try await BackendProcess(text: byCommand, program: older, environment: environment)
        #expect(try await serves(third))
        // 3. The way back.
        second.terminate()
        #expect(await second.status() == 0)
        #expect(try await serves(third))
        for process in [first, third] {
            process.terminate()
            #expect(await process.status() == 0)
        }
    }

    @Test("The first new instance migrates the tables under the older instances, which stay ready")
    func onStart() async throws {
        let (text, _) = try await text("on_start")
        let older = try await BackendProcess(text: text, program: OlderProgram.url, environment: Self.environment)
        let newer = try await BackendProcess(text: text, environment: Self.environment)
        #expect(try await serves(older))
        #expect(try await serves(newer))
        for process in [older, newer] {
            process.terminate()
            #expect(await process.status() == 0)
        }
    }

    @Test("Counts of one version of the service are known to the other")
    func shared() async throws {
        let (text, _) = try await text("on_start", limit: 4)
        let older = try await BackendProcess(text: text, program: OlderProgram.url, environment: Self.environment)
        let newer = try await BackendProcess(text: text, environment: Self.environment)
        for process in [older, newer, older, newer] {
            #expect(try await status("/ssafy/verify", of: process, body: "{}") == 400)
        }
        for process in [older, newer] { #expect(try await status("/ssafy/verify", of: process, body: "{}") == 429) }
        for process in [older, newer] { process.terminate() }
    }
}
