import Foundation
import Logging
import NIOHTTP1
import OstiaryJOSE
import OstiaryTesting
import Testing

@testable import Backend

@Suite("The service's log", .timeLimit(.minutes(5)))
struct LogTests {
    @Test("Every refused request is logged with its reason and request id, and operator problems as warnings")
    func refusals() async throws {
        let book = LogBook()
        let world = try await SignInWorld(logger: book.logger, secret: "mistyped")
        let answer = try await world.finish()
        #expect(answer.status == 400 && answer.object["error"] == "invalid_grant")
        let lines = book.refusals("token_invalid_client")
        let line = try #require(lines.first)
        #expect(lines.count == 1 && line.level == .warning)
        #expect(line.request == answer.headers.first(name: "x-request-id"))
        #expect(line.metadata["path"] == "/auth/finish" && line.metadata["status"] == "400")
        #expect(line.metadata["detail"]?.contains("client secret") == true)
        let refused = try await world.ask(.GET, "/auth/session")
        #expect(refused.status == 401)
        #expect(book.refusals("no_handle").map(\.level) == [.info])
        #expect(book.refusals("no_handle").first?.request == refused.headers.first(name: "x-request-id"))
        #expect(!book.text.contains("mistyped"))
        await world.stop()
    }

    @Test(
        "A session handle used with another key is logged as its own warning"
    )
    func otherKey() async throws {
        let book = LogBook()
        let world = try await SignInWorld(logger: book.logger)
        let session = try await world.signIn()
        let stranger = try SigningKey.generate(.es256)
        #expect(try await world.ask(.GET, "/auth/session", session: session, by: stranger).status == 401)
        #expect(book.refusals("session_other_key").map(\.level) == [.warning])
        #expect(!book.text.contains(session))
        await world.stop()
    }

    @Test("Refusals and outgoing requests are counted by path and reason")
    func figures() async throws {
        let world = try await SignInWorld(secret: "mistyped")
        _ = try await world.finish()
        let text = try await world.ask(.GET, "/metrics").text
        #expect(text.contains(#"ostiary_refusals_total{path="/auth/finish",reason="token_invalid_client"}"#))
        #expect(text.contains(#"ostiary_store_seconds_count{operation="count_request",outcome="ok"}"#))
        #expect(text.contains("hb_requests_total") || text.contains("http_server_request_duration"))
        await world.stop()
    }

    // MARK: The writer

    @Test("A log collector that is gone loses lines, and does not stop the process")
    func brokenPipe() {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        let writer = LogWriter(ends[1])
        for _ in 0..<3 { writer.write(Array("line\n".utf8)) }
        writer.flush(within: 10)
        #expect(writer.dropped == 3)
        close(ends[1])
    }

    @Test("A full disk loses log lines, and does not stop the process")
    func full() {
        let disk = open("/dev/full", O_WRONLY)
        let writer = LogWriter(disk)
        writer.write(Array("line\n".utf8))
        writer.flush(within: 10)
        #expect(writer.dropped == 1)
        close(disk)
    }

    @Test("A blocked log collector delays no request, and later gets the number of lost lines")
    func stalled() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (input, output) = (ends[0], ends[1])
        let writer = LogWriter(output, maximumBytes: 100_000)
        let line = [UInt8](repeating: UInt8(ascii: "a"), count: 999) + [0x0A]
        // More than any pipe holds. It ends, though no collector reads.
        let count = 20_000
        for _ in 0..<count { writer.write(line) }
        DispatchQueue.global().async {
            writer.flush(within: 60)
            writer.write(Array("end\n".utf8))
            writer.flush(within: 60)
            close(output)
        }
        let data = try FileHandle(fileDescriptor: input, closeOnDealloc: true).readToEnd() ?? Data()
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        let lost = lines.compactMap { $0.firstMatch(of: /"lines":"([0-9]+)"/).flatMap { Int($0.1) } }.reduce(0, +)
        #expect(lost > 0 && lines.contains("end"))
        #expect(lines.count { $0.hasPrefix("a") } + lost == count)
    }

    @Test("A line of the service is one object of JSON")
    func json() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let writer = LogWriter(ends[1])
        let logger = Logger(label: "label") { JSONLog(label: $0, logLevel: .info, writer: writer) }
        logger.info("two\nlines", metadata: ["name": "\"value\""])
        writer.flush(within: 10)
        close(ends[1])
        let data = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).read(upToCount: 4096) ?? Data()
        let object = try JSONObject(parsing: Array(data.dropLast()))
        #expect(object["message"] == "two\nlines" && object["name"] == "\"value\"" && object["level"] == "info")
        #expect(data.filter { $0 == 0x0A }.count == 1)
    }
}
