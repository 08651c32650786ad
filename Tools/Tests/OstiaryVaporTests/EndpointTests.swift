import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import OstiaryServer
import OstiaryVapor
import Testing
import Vapor

@Suite("Endpoints of the backend kit on Vapor", .timeLimit(.minutes(5)))
struct EndpointTests {
    private let world: VaporWorld

    init() throws { world = try VaporWorld() }

    /// Repeats the request.
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

    private func serve(_ body: (VaporClient) async throws -> Void) async throws {
        try await world.serve(
            { app in
                app.grouped("api").add(
                    Echo(),
                    at: "/echo/it",
                    bodyDeadline: .milliseconds(200),
                    sender: { $0.remoteAddress?.ipAddress }
                )
                app.add(LivenessEndpoint(), at: "/health")
            },
            body
        )
    }

    @Test("An endpoint gets the method, the target, the sender and the body")
    func passes() async throws {
        try await serve { client in
            let response = try await client.send(.POST, "/api/echo/it?x=%2F", body: .bytes(ByteBuffer(string: "hello")))
            #expect(response.status == .ok && response.headers.first(name: "content-type") == "text/plain")
            #expect(response.text == "POST /api/echo/it?x=%2F 127.0.0.1 hello")
        }
    }

    @Test("A request without a body is answered")
    func empty() async throws {
        try await serve { client in
            #expect(try await client.send(.POST, "/api/echo/it").text == "POST /api/echo/it 127.0.0.1 ")
            let live = try await client.send(.GET, "/health")
            #expect(live.status == .ok && live.text == #"{"status":"ok"}"#)
        }
    }

    @Test(
        "A request with another method is rejected with the right method",
        arguments: [HTTPMethod.GET, .PUT, .PATCH, .DELETE]
    )
    func method(_ method: HTTPMethod) async throws {
        try await serve { client in
            let response = try await client.send(method, "/api/echo/it")
            #expect(response.status == .methodNotAllowed && response.headers.first(name: "allow") == "POST")
        }
    }

    @Test("A body of the largest size is read in pieces, and a larger one is refused, announced or not")
    func tooLarge() async throws {
        try await serve { client in
            func pieces(_ count: Int) -> HTTPClientRequest.Body {
                let stream = AsyncStream<ByteBuffer> { continuation in
                    for _ in 0..<count { continuation.yield(ByteBuffer(string: "x")) }
                    continuation.finish()
                }
                return .stream(stream, length: .unknown)
            }
            let fitting = try await client.send(.POST, "/api/echo/it", body: pieces(16))
            #expect(fitting.status == .ok && fitting.text.hasSuffix(String(repeating: "x", count: 16)))
            #expect(try await client.send(.POST, "/api/echo/it", body: pieces(17)).status == .payloadTooLarge)
            let announced = ByteBuffer(string: String(repeating: "x", count: 17))
            #expect(try await client.send(.POST, "/api/echo/it", body: .bytes(announced)).status == .payloadTooLarge)
        }
    }

    @Test("A body that trickles in is given up after its time, and others are answered")
    func tooSlow() async throws {
        try await serve { client async throws in
            let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
            continuation.yield(ByteBuffer(string: "a"))
            async let slow = client.send(.POST, "/api/echo/it", body: .stream(stream, length: .unknown))
            #expect(try await client.send(.POST, "/api/echo/it").status == .ok)
            let status = try await slow.status
            #expect(status == .requestTimeout)
            continuation.finish()
            #expect(try await client.send(.POST, "/api/echo/it").status == .ok)
        }
    }

    @Test("A path of an endpoint has no parameters")
    func path() async throws {
        try await world.serve({ app in app.add(LivenessEndpoint(), at: "/:health") }) { client async throws in
            #expect(try await client.send(.GET, "/other").status == .notFound)
        }
    }
}
