import AsyncHTTPClient
import BackendConnections
import Foundation
import Logging
import OstiaryOAuth
import OstiaryServer
import Testing

@testable import Backend

@Suite("Replays and limits off the database", .timeLimit(.minutes(5)))
struct RequestStoreTests {
    private static let handoff = """
        "ssafy": {"client_id": "a", "redirect_uris": ["https://app.example.com/callback"],
                  "requests_per_minute_and_sender": 2},
        """

    private func start(_ members: String, logger: Logger = ServiceFixture.quiet) async throws -> ServiceFixture {
        ServiceFixture(
            running: try await BackendServer.start(
                ServiceFixture.configuration(members),
                requests: RequestStore.valkey,
                logger: logger
            )
        )
    }

    @Test("Two instances count a sender's requests together, each with a store of its own for everything else")
    func shared() async throws {
        let server = try await ValkeyServer()
        let (one, two) = try await (start(server.setting() + Self.handoff), start(server.setting() + Self.handoff))
        #expect(try await one.handOver("{}").status == 400)
        #expect(try await two.handOver("{}").status == 400)
        #expect(try await one.handOver("{}").status == 429)
        #expect(try await two.handOver("{}").status == 429)
        await one.running.stop()
        await two.running.stop()
    }

    @Test("Without the server a request that has to be counted gets 503 and no instance is ready, until it is back")
    func outage() async throws {
        let server = try await ValkeyServer()
        let book = LogBook()
        let setting = server.setting(#", "seconds": 0.5"#)
        // Without an issuer, whose keys would have to be there for readiness.
        let (counting, other) = try await (
            start(setting + Self.handoff, logger: book.logger), start(setting, logger: book.logger)
        )
        #expect(try await other.get("/ready").0 == 200)
        try await server.crash()
        #expect(try await counting.handOver("{}").status == 503)
        while try await other.get("/ready").0 != 503 { try Task.checkCancellation() }
        #expect(try await other.get("/health").0 == 200)
        #expect(try await other.get("/metrics").1.contains(#"ostiary_store_failures_total{failure="valkey_"#))
        #expect(book.text.contains("error store of replays and limits"))
        let notReady = book.lines.filter { $0.message == "not ready" }
        #expect(notReady.contains { $0.metadata["failure"]?.contains("Valkey cannot be reached") == true })
        try await server.start()
        while try await other.get("/ready").0 != 200 { try Task.checkCancellation() }
        while try await counting.handOver("{}").status == 503 { try Task.checkCancellation() }
        await counting.running.stop()
        await other.running.stop()
    }

    @Test("A server that cannot be reached, or would remove entries, ends the start with the next step")
    func misconfiguration() async throws {
        func failure(_ setting: String) async -> String {
            do {
                try await start(setting).running.stop()
                return ""
            } catch {
                return "\(error)"
            }
        }
        let port = try FreePort.find()
        let nowhere = """
            "replays_and_limits": {"type": "valkey", "host": "127.0.0.1", "port": \(port), "security": "none"},
            """
        #expect(await failure(nowhere).contains("Valkey cannot be reached"))
        let server = try await ValkeyServer("maxmemory 100mb", "maxmemory-policy volatile-lru")
        #expect(await failure(server.setting()).contains("config set maxmemory-policy noeviction"))
        let locked = try await ValkeyServer("requirepass secret")
        #expect(await failure(locked.setting()).contains("NOAUTH"))
        let file = try TemporaryFile()
        try Data("secret\n".utf8).write(to: URL(filePath: file.path))
        #expect(await failure(locked.setting(#", "password": {"file": "\#(file.path)"}"#)) == "")
    }

    @Test("A server that writes no file is a warning of the start, once")
    func file() async throws {
        let server = try await ValkeyServer()
        try await server.run("config set appendonly no")
        let book = LogBook()
        let service = try await start(server.setting(), logger: book.logger)
        #expect(try await service.get("/ready").0 == 200)
        #expect(book.lines.count { $0.message.contains("config set appendonly yes") } == 1)
        await service.running.stop()
    }

    @Test(
        "A member that cannot work is refused before anything connects, with its name",
        arguments: [
            (#"{"type": "redis", "host": "a", "security": "none"}"#, "replays_and_limits.type", "valkey"),
            (#"{"type": "valkey", "security": "none"}"#, "replays_and_limits.host", "required"),
            (#"{"type": "valkey", "host": "a"}"#, "replays_and_limits.security", "required"),
            (
                #"{"type": "valkey", "host": "a", "security": "none", "password": "here"}"#,
                "replays_and_limits.password", "contains no secrets"
            ),
            (#"{"type": "valkey", "host": "valkey://a", "security": "none"}"#, "replays_and_limits", "one host"),
            (#"{"type": "valkey", "host": "a", "user": "u", "security": "none"}"#, "replays_and_limits", "password"),
        ]
    )
    func members(text: String, member: String, sentence: String) async throws {
        let error = await #expect(throws: BackendConfigurationError.self) {
            let configuration = try ServiceFixture.configuration("\"replays_and_limits\": \(text),")
            try await BackendServer.check(configuration, requests: RequestStore.valkey)
        }
        #expect(error?.member == member)
        #expect(error?.sentence.contains(sentence) == true, "\(error?.sentence ?? "")")
    }

    @Test("A program without a client of Valkey refuses a configuration that needs one")
    func without() async throws {
        let configuration = try ServiceFixture.configuration(
            #""replays_and_limits": {"type": "valkey", "host": "a", "security": "none"},"#
        )
        let error = await #expect(throws: BackendConfigurationError.self) {
            _ = try await BackendServer.start(configuration, logger: ServiceFixture.quiet)
        }
        #expect(error?.member == "replays_and_limits")
    }
}
