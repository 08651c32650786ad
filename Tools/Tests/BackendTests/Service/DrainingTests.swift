import Testing

@Suite("A service that is asked to end", .timeLimit(.minutes(5)))
struct DrainingTests {
    private static let halfRequest =
        "POST /ssafy/verify HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{"

    /// A connection on which a request is under way: the answer to the one before it shows that its head was read.
    private func underWay(_ process: BackendProcess) async throws -> LoopbackConnection {
        let connection = try LoopbackConnection(port: process.port)
        connection.send("GET /health HTTP/1.1\r\nhost: a\r\n\r\n" + Self.halfRequest)
        await connection.wait { $0.text.contains(#"{"status":"ok"}"#) }
        return connection
    }

    /// Waits until no client can connect any more.
    private func untilRefused(_ process: BackendProcess) async {
        while (try? LoopbackConnection(port: process.port)) != nil { await Task.yield() }
    }

    @Test("On termination a running request is answered, new ones are rejected, and the process exits with 0")
    func drains() async throws {
        let process = try await BackendProcess(ServiceFixture.handoff + #""draining_seconds": 50, "#)
        let connection = try await underWay(process)
        process.terminate()
        await untilRefused(process)
        connection.send("}")
        await connection.wait { _ in false }
        #expect(connection.text.contains("HTTP/1.1 400 ") && connection.text.contains("INVALID_REQUEST"))
        #expect(await process.status() == 0)
    }

    @Test("On termination an idle connection does not delay the exit")
    func idle() async throws {
        let process = try await BackendProcess(#""draining_seconds": 600, "#)
        let connection = try LoopbackConnection(port: process.port)
        connection.send("GET /health HTTP/1.1\r\nhost: a\r\n\r\n")
        await connection.wait { $0.text.contains(#"{"status":"ok"}"#) }
        process.terminate()
        #expect(await process.status() == 0)
    }

    @Test("On termination an unfinished request is dropped at the time limit, and the process exits with 0")
    func givesUp() async throws {
        let process = try await BackendProcess(
            ServiceFixture.handoff + #""draining_seconds": 0.3, "request_seconds": 300, "#
        )
        let connection = try await underWay(process)
        let start = ContinuousClock.now
        process.terminate()
        #expect(await process.status() == 0)
        #expect(ContinuousClock.now - start < .seconds(20))
        await connection.wait { _ in false }
        #expect(connection.isEnded)
    }
}
