import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OstiaryHummingbird
import OstiaryServer
import Testing

@Suite("The places of the backend kit in Hummingbird", .timeLimit(.minutes(5)))
struct EndpointRouteTests {
    private struct TestSource: RequestContextSource {
        let logger: Logger = {
            var logger = Logger(label: "test")
            logger[metadataKey: "hb.request.id"] = "own-id"
            return logger
        }()
    }

    private struct Context: RequestContext {
        typealias Source = TestSource
        var coreContext: CoreRequestContextStorage
        init(source: Source) { coreContext = CoreRequestContextStorage(source: source) }
    }

    /// Says what it was asked.
    private struct Echo: ServerEndpoint {
        var maximumBodyBytes: Int { 16 }
        func respond(to request: ServerRequest) async -> ServerResponse {
            let text = "\(request.method) \(request.target) \(request.sender ?? "-") "
            return ServerResponse(
                status: .ok,
                fields: [.contentType: "text/plain"],
                body: Array(text.utf8) + request.body
            )
        }
    }

    private func ask(
        _ method: HTTPRequest.Method = .post,
        _ path: String = "/echo?x=y",
        body: RequestBody = RequestBody(buffer: ByteBuffer(string: "hello")),
        fields: HTTPFields = [:],
        configure: (Router<Context>) -> Void = { _ in }
    ) async throws -> (response: Response, text: String) {
        let router = Router(context: Context.self)
        configure(router)
        router.add(Echo(), at: "echo", bodyDeadline: .milliseconds(50), sender: { _, _ in "192.0.2.1" })
        router.add(LivenessEndpoint(), at: "live")
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: path, headerFields: fields)
        let response = try await router.buildResponder()
            .respond(to: Request(head: head, body: body), context: Context(source: TestSource()))
        let writer = Written()
        try await response.body.write(writer)
        return (response, writer.text)
    }

    @Test("An endpoint gets the method, the target, the sender and the body")
    func passes() async throws {
        let (response, text) = try await ask()
        #expect(response.status == .ok && response.headers[.contentType] == "text/plain")
        #expect(text == "POST /echo?x=y 192.0.2.1 hello")
    }

    @Test(
        "An endpoint request with another method gets 405 with the allowed one",
        arguments: [HTTPRequest.Method.get, .put, .patch, .delete]
    )
    func method(_ method: HTTPRequest.Method) async throws {
        let (response, _) = try await ask(method)
        #expect(response.status == .methodNotAllowed && response.headers[.allow] == "POST")
    }

    @Test("An endpoint request with an oversized body is rejected, and the connection is closed")
    func tooLarge() async throws {
        let large = ByteBuffer(string: String(repeating: "x", count: 17))
        let (response, _) = try await ask(body: RequestBody(buffer: large))
        #expect(response.status == .contentTooLarge && response.headers[.connection] == "close")
        let (announced, _) = try await ask(fields: [.contentLength: "17"])
        #expect(announced.status == .contentTooLarge)
        let (fits, _) = try await ask(body: RequestBody(buffer: ByteBuffer(string: String(repeating: "x", count: 16))))
        #expect(fits.status == .ok)
    }

    @Test("An endpoint request whose body is too slow gets 408")
    func tooSlow() async throws {
        let trickle = AsyncStream<ByteBuffer> { continuation in
            continuation.yield(ByteBuffer(string: "a"))
        }
        let (response, _) = try await ask(body: RequestBody(asyncSequence: trickle))
        #expect(response.status == .requestTimeout && response.headers[.connection] == "close")
    }

    @Test("An endpoint request with an aborted body is rejected")
    func brokenOff() async throws {
        struct Broken: Error {}
        let stream = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: Broken()) }
        #expect(try await ask(body: RequestBody(asyncSequence: stream)).response.status == .badRequest)
    }

    @Test("The liveness endpoint responds that the process runs")
    func live() async throws {
        let (response, text) = try await ask(.get, "/live", body: RequestBody(buffer: ByteBuffer()))
        #expect(response.status == .ok && text == #"{"status":"ok"}"#)
    }

    @Test(
        "A request id is the server's, or a valid one from a trusted proxy",
        arguments: [
            (RequestIDMiddleware<Context>.Source.server, "from-client", "own-id"), (.proxy, "from-proxy", "from-proxy"),
            (.proxy, "no number", "own-id"), (.proxy, String(repeating: "n", count: 121), "own-id"),
        ]
    )
    private func requestID(_ source: RequestIDMiddleware<Context>.Source, _ given: String, _ expected: String)
        async throws
    {
        let name = try #require(HTTPField.Name("X-Request-Id"))
        let (response, _) = try await ask(fields: [name: given]) { $0.add(middleware: RequestIDMiddleware(source)) }
        #expect(response.headers[name] == expected)
    }
}

/// Collects a body.
private final class Written: ResponseBodyWriter {
    private(set) var text = ""
    func write(_ buffer: ByteBuffer) async throws { text += String(buffer: buffer) }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
