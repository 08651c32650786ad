import Backend
import Foundation
import Testing

/// A client that sends as slowly as it can: a byte whenever another request has been answered.
@Suite("Slow, oversized and broken requests at the socket", .timeLimit(.minutes(5)))
struct SlowRequestTests {
    private static let quick = ServiceFixture.handoff + #""request_seconds": 1.5, "#
    private static let post = "POST /ssafy/verify HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n"

    /// Sends a beginning, and then a byte after each answer to another request, until the service ends the connection.
    ///
    /// - Returns: The response, and the time after which it ended.
    private func trickle(_ beginning: String, _ more: String = #""request_seconds": 1.5, "#) async throws -> (
        text: String, time: Duration
    ) {
        let service = try await ServiceFixture(ServiceFixture.handoff + more)
        let connection = try LoopbackConnection(port: service.running.port)
        let start = ContinuousClock.now
        connection.send(beginning)
        while !connection.isEnded {
            #expect(try await service.health() == 200)
            connection.send("a")
            connection.poll()
        }
        let time = ContinuousClock.now - start
        await service.running.stop()
        return (connection.text, time)
    }

    @Test("A request head that arrives too slowly is dropped, and other requests are served meanwhile")
    func head() async throws {
        let (text, time) = try await trickle("GET /health HTTP/1.1\r\nhost: a\r\nx-slow: ")
        #expect(text.isEmpty && time > .milliseconds(300) && time < .seconds(10))
    }

    @Test("A body that arrives too slowly gets 408, and the connection is closed")
    func body() async throws {
        let (text, time) = try await trickle(Self.post + "content-length: 8000\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 408 ") && text.contains("INVALID_REQUEST"))
        #expect(time > .milliseconds(150) && time < .seconds(10))
    }

    @Test("A slow body after the response does not keep the connection")
    func bodyAfterAnswer() async throws {
        let (text, time) = try await trickle("GET /nothing HTTP/1.1\r\nhost: a\r\ncontent-length: 8000\r\n\r\n")
        #expect(text.hasPrefix("HTTP/1.1 404 ") && time > .milliseconds(300) && time < .seconds(10))
    }

    @Test("An endless chunked body gets a response, and the connection is closed")
    func chunks() async throws {
        let (text, time) = try await trickle(Self.post + "transfer-encoding: chunked\r\n\r\n2000\r\n")
        #expect(text.hasPrefix("HTTP/1.1 408 ") && time < .seconds(10))
    }

    @Test("A connection without a request is closed")
    func silence() async throws {
        let service = try await ServiceFixture(Self.quick)
        let connection = try LoopbackConnection(port: service.running.port)
        await connection.wait { _ in false }
        #expect(connection.isEnded && connection.received.isEmpty)
        await service.running.stop()
    }

    @Test("A connection is reused after a response, with a new time limit")
    func keptAlive() async throws {
        let service = try await ServiceFixture(Self.quick)
        let connection = try LoopbackConnection(port: service.running.port)
        for number in 1...3 {
            // Without `connection: upgrade` a client asks for no other protocol.
            connection.send("GET /health HTTP/1.1\r\nhost: a\r\nupgrade: websocket\r\n\r\n")
            await connection.wait { $0.text.components(separatedBy: "HTTP/1.1 200 ").count > number }
        }
        #expect(!connection.isEnded)
        await service.running.stop()
    }

    @Test(
        "A connection is closed after a request for another protocol, since no later request would be read",
        arguments: [
            "GET /health HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n",
            "GET /health HTTP/1.1\r\nconnection: keep-alive, upgrade\r\nupgrade: h2c\r\n",
        ]
    )
    func upgrade(_ head: String) async throws {
        let service = try await ServiceFixture()
        let connection = try LoopbackConnection(port: service.running.port)
        connection.send("GET /health HTTP/1.1\r\nhost: a\r\n\r\n" + head + "host: a\r\n\r\n")
        await connection.wait { $0.text.lowercased().contains("connection: close") }
        let answers = connection.text.components(separatedBy: "HTTP/1.1 200 ").dropFirst()
        #expect(answers.map { $0.lowercased().contains("connection: close") } == [false, true])
        await connection.wait { _ in false }
        #expect(connection.isEnded)
        await service.running.stop()
    }

    /// Sends something whole, and reads to the first answer or the end.
    private func answer(_ request: String) async throws -> String {
        let service = try await ServiceFixture(ServiceFixture.handoff)
        let connection = try LoopbackConnection(port: service.running.port)
        connection.send(request)
        await connection.wait { $0.text.contains("\r\n\r\n") }
        #expect(try await service.health() == 200)
        await service.running.stop()
        return String(connection.text.prefix { $0 != "\r\n" })
    }

    @Test("A request head that is too large or has too many fields gets 400")
    func largeHead() async throws {
        let large = "GET /health HTTP/1.1\r\nhost: a\r\nx-large: \(String(repeating: "a", count: 33 * 1024))\r\n\r\n"
        #expect(try await answer(large) == "HTTP/1.1 400 Bad Request")
        let fields = (0..<101).map { "x-\($0): a\r\n" }.joined()
        #expect(try await answer("GET /health HTTP/1.1\r\n\(fields)\r\n") == "HTTP/1.1 400 Bad Request")
    }

    @Test(
        "A malformed or ambiguous request head gets 400",
        arguments: [
            "GET\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "GET /health HTTP/9.9\r\n\r\n",
            "GET /health HTTP/1.1\r\nhost : a\r\n\r\n", "GET /health HTTP/1.1\r\nx: a\u{0}b\r\n\r\n",
            post + "content-length: 2\r\ncontent-length: 3\r\n\r\n{}",
            post + "content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            post + "content-length: -1\r\n\r\n", post + "content-length: 2x\r\n\r\n{}",
            post + "transfer-encoding: chunked\r\n\r\nzz\r\n",
        ]
    )
    func brokenHead(_ request: String) async throws {
        #expect(try await answer(request) == "HTTP/1.1 400 Bad Request")
    }

    @Test(
        "A body over the limit gets 413, with and without a Content-Length",
        arguments: [
            "content-length: 8193\r\n\r\n",
            "transfer-encoding: chunked\r\n\r\n2001\r\n\(String(repeating: "a", count: 8193))\r\n",
        ]
    )
    func largeBody(_ rest: String) async throws {
        #expect(try await answer(Self.post + rest).hasPrefix("HTTP/1.1 413 "))
    }

    @Test("An aborted body does not affect later requests")
    func brokenOff() async throws {
        let service = try await ServiceFixture(ServiceFixture.handoff)
        for _ in 0..<20 {
            let connection = try LoopbackConnection(port: service.running.port)
            connection.send(Self.post + "content-length: 8000\r\n\r\n{")
        }
        #expect(try await service.health() == 200)
        #expect(try await service.handOver("{}").status == 400)
        await service.running.stop()
    }
}
