import Foundation
import HTTPTypes
import OstiaryOAuth

/// The limit of the body, the deadline of the exchange, and the end of the task hold.
extension HTTPTransportTrial {
    /// The bytes that may be in transit, in buffers and queues, when a transport without back-pressure stops reading.
    private static let largestOvershoot = 32 << 20
    /// About half a gigabit a second: as fast as a network is, and not as fast as the loopback interface.
    private static let pace = Duration.milliseconds(1)

    func acceptsBodyAtLimit() async throws(HTTPTransportCheckFailure) {
        let body = String(repeating: "x", count: 65_536)
        let server = try server { request in
            guard request.target != "/announced" else { return .response(body: body) }
            return [.head(200, ["Connection: close"]), .text(body), .close]
        }
        for target in ["/announced", "/unannounced"] {
            let response = try await answer(to: server.request(target, limit: 65_536))
            try require(response.body == Array(body.utf8), "of \(body.utf8.count) bytes came \(response.body.count)")
            try await expect(server.request(target, limit: 65_535), toFailAs: [.tooLarge])
        }
    }

    func refusesAnnouncedLargeBody() async throws(HTTPTransportCheckFailure) {
        // The server announces 50 MB and sends none: a transport must check the announced length.
        let server = try server { _ in [.head(200, ["Content-Length: 52428800"]), .silence] }
        try await expect(server.request(), toFailAs: [.tooLarge])
        _ = try await closing(of: server)
    }

    func stopsReadingLargeBody() async throws(HTTPTransportCheckFailure) -> Int {
        let server = try server { _ in
            [.head(200, ["Connection: close"]), .trickle([UInt8](repeating: 120, count: 65_536), every: Self.pace)]
        }
        try await expect(server.request(), toFailAs: [.tooLarge])
        return try await closing(of: server)
    }

    func stopsReadingLargeChunkedBody() async throws(HTTPTransportCheckFailure) -> Int {
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 120, count: 0x10000) + Array("\r\n".utf8)
        let server = try server { _ in [.head(200, ["Transfer-Encoding: chunked"]), .trickle(chunk, every: Self.pace)] }
        try await expect(server.request(), toFailAs: [.tooLarge])
        return try await closing(of: server)
    }

    func boundsDecodedBody() async throws(HTTPTransportCheckFailure) {
        guard let coded = Data(base64Encoded: Self.zerosInGzip) else { throw broken("the check's data is damaged") }
        let server = try server { _ in
            [.head(200, ["Content-Encoding: gzip", "Content-Length: \(coded.count)"]), .bytes(Array(coded))]
        }
        let outcome = await self.outcome(of: server.request(limit: 16_384))
        switch outcome {
        case .answered(let response) where response.body.count <= 16_384: break
        case .failed(.tooLarge), .failed(.notHTTP): break
        default: throw broken("262144 bytes, coded as \(coded.count), at a limit of 16384: \(outcome)")
        }
    }

    func boundsRedirectBody() async throws(HTTPTransportCheckFailure) -> Int {
        let server = try server { _ in
            [
                .head(302, ["Location: /", "Connection: close"]),
                .trickle([UInt8](repeating: 120, count: 65_536), every: .milliseconds(5)),
            ]
        }
        try await expect(
            server.request(deadline: .milliseconds(600)),
            toFailAs: [.tooLarge, .timedOut, .redirectRefused]
        )
        return try await closing(of: server)
    }

    func waitsUntilDeadline() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            [.pause(.milliseconds(300)), .head(200, ["Content-Length: 2"]), .pause(.milliseconds(200)), .text("ok")]
        }
        await untilThreadsAreFree()
        for deadline in [Duration.milliseconds(5_900), .milliseconds(2_500)] {
            _ = try await answer(to: server.request(deadline: deadline))
        }
    }

    func endsSilenceAtDeadline() async throws(HTTPTransportCheckFailure) {
        // With a long fraction: a transport that cuts it off ends early by more than a busy machine is late.
        try await expectDeadline(of: .milliseconds(1_900), at: try server { _ in [.silence] })
    }

    func endsSlowHeadAtDeadline() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            [.text("HTTP/1.1 200 OK\r\n"), .trickle(Array("X-A: 1\r\n".utf8), every: .milliseconds(20))]
        }
        try await expectDeadline(of: .milliseconds(700), at: server)
    }

    func endsSlowBodyAtDeadline() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            [.head(200, ["Content-Length: 60000"]), .trickle([120], every: .milliseconds(20))]
        }
        try await expectDeadline(of: .milliseconds(1_200), at: server)
    }

    func endsHandshakeAtDeadline() async throws(HTTPTransportCheckFailure) {
        try await expectDeadline(of: .milliseconds(500), at: try server(), scheme: "https")
    }

    func endsWhenCancelled() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in [.silence] }
        try await expectCancellation(at: server) { !server.requests.isEmpty }
    }

    func endsBodyWhenCancelled() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in
            [.head(200, ["Content-Length: 60000"]), .trickle([120], every: .milliseconds(20))]
        }
        try await expectCancellation(at: server) { server.connections.contains { $0.bytesWritten > 60 } }
    }

    func sendsNothingWhenCancelled() async throws(HTTPTransportCheckFailure) {
        let server = try server()
        let sending = Task { [transport] () -> TransportFailure? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(TransportFailure) {
                _ = try await transport.send(server.request())
                return nil
            } catch {
                return error
            }
        }
        let failure = await sending.value
        try require(
            failure == .cancelled,
            "instead of failing as cancelled, it ended with \(failure?.rawValue ?? "an answer")"
        )
        try require(server.requests.isEmpty, "the request was sent")
    }

    private func expectDeadline(
        of deadline: Duration,
        at server: LoopbackServer,
        scheme: String = "http"
    ) async throws(HTTPTransportCheckFailure) {
        await untilThreadsAreFree()
        let start = ContinuousClock.now
        try await expect(server.request(scheme: scheme, deadline: deadline), toFailAs: [.timedOut])
        let duration = ContinuousClock.now - start
        try require(
            duration > deadline * 0.9 && duration < deadline + .seconds(2),
            "a deadline of \(deadline) came after \(duration)"
        )
        // A pool may go on with a handshake, for the next request.
        if scheme == "http" { _ = try await closing(of: server) }
    }

    private func expectCancellation(
        at server: LoopbackServer,
        when isTime: @escaping @Sendable () -> Bool
    ) async throws(HTTPTransportCheckFailure) {
        await untilThreadsAreFree()
        let (times, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        try await expect(server.request(), toFailAs: [.cancelled]) {
            _ = await self.eventually(isTime)
            continuation.yield(.now)
        }
        continuation.finish()
        for await time in times {
            let duration = ContinuousClock.now - time
            try require(duration < .seconds(2), "cancelling took \(duration)")
        }
        _ = try await closing(of: server)
    }

    /// Waits, at most 20 seconds, until a sleep ends in time: a process that runs many other tests is late with
    /// everything, and that is not the transport's doing.
    private func untilThreadsAreFree() async {
        let end = ContinuousClock.now + .seconds(20)
        var inTime = 0
        while inTime < 5, ContinuousClock.now < end {
            let start = ContinuousClock.now
            guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
            inTime = ContinuousClock.now - start < .milliseconds(40) ? inTime + 1 : 0
        }
    }

    /// Waits until the transport has closed every connection.
    ///
    /// - Returns: The number of bytes that were written on them.
    private func closing(of server: LoopbackServer) async throws(HTTPTransportCheckFailure) -> Int {
        let isClosed = await eventually { server.connections.allSatisfy(\.isClosedByClient) }
        let written = server.connections.reduce(0) { $0 + $1.bytesWritten }
        try require(isClosed, "the connection was still open \(Self.patience) later, after \(written) bytes")
        try require(written < Self.largestOvershoot, "the connection was closed after no less than \(written) bytes")
        return written
    }

    /// 262144 zero bytes.
    private static let zerosInGzip = """
        H4sIAAAAAAACA+3BMQEAAADCoPVP7W0HoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA3gAi6g7iAAAEAA==
        """
}
