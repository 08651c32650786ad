import Foundation
import HTTPTypes
import OstiaryOAuth
import OstiaryTesting
import Synchronization
import Testing

@testable import OstiaryAsyncHTTPClient

@Suite("Connections of the transport on AsyncHTTPClient")
struct ConnectionGuardTests {
    private func url(of server: LoopbackServer) throws -> URL {
        try #require(URL(string: "http://127.0.0.1:\(server.port)/token"))
    }

    private func result(
        of request: EndpointRequest,
        by transport: AsyncHTTPClientTransport
    ) async -> Result<EndpointResponse, TransportFailure> {
        do throws(TransportFailure) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    @Test(
        "A response with a status below 100 fails as notHTTP, and the process continues",
        arguments: ["099", "000", "001"],
        ["", "Content-Length: 2\r\n"]
    )
    func status(_ status: String, _ length: String) async throws {
        let server = try LoopbackServer { _ in
            [.text("HTTP/1.1 \(status) Odd\r\n\(length)\r\n\(length.isEmpty ? "" : "{}")"), .close]
        }
        let transport = AsyncHTTPClientTransport()
        for _ in 0..<2 {
            let get = EndpointRequest(url: try url(of: server))
            #expect(await result(of: get, by: transport) == .failure(.notHTTP))
            let post = EndpointRequest(url: try url(of: server), method: .post, form: [.grantType: "x"])
            #expect(await result(of: post, by: transport) == .failure(.notHTTP))
        }
    }

    @Test("A status below 100 after an interim response fails as notHTTP")
    func statusAfterInterim() async throws {
        let server = try LoopbackServer { _ in
            [.text("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 099 Odd\r\n\r\n"), .close]
        }
        let transport = AsyncHTTPClientTransport()
        let request = EndpointRequest(url: try url(of: server))
        #expect(await result(of: request, by: transport) == .failure(.notHTTP))
    }

    /// A server that answers the first request of each connection, and closes it when the second one comes.
    private func closing() throws -> LoopbackServer {
        try LoopbackServer { request in request.number == 1 ? [.close] : .response(body: "\(request.number)") }
    }

    @Test("A repeatable request is sent once more when a kept connection is closed")
    func repeated() async throws {
        let server = try closing()
        let transport = AsyncHTTPClientTransport()
        let get = EndpointRequest(url: try url(of: server))
        var post = EndpointRequest(url: try url(of: server), method: .post, form: [.token: "x"])
        post.mayBeRepeated = true
        #expect(try await transport.send(get).body == Array("0".utf8))
        #expect(try await transport.send(post).body == Array("2".utf8))
        #expect(server.requests.count == 3)
    }

    @Test("A request that may not be repeated fails as interrupted on a closed kept connection")
    func notRepeated() async throws {
        let server = try closing()
        let transport = AsyncHTTPClientTransport()
        _ = try await transport.send(EndpointRequest(url: try url(of: server)))
        let post = EndpointRequest(url: try url(of: server), method: .post, form: [.grantType: "refresh_token"])
        #expect(await result(of: post, by: transport) == .failure(.interrupted))
        #expect(server.requests.count == 2)
    }

    @Test("A request on a new connection that closes is not repeated")
    func newConnection() async throws {
        let server = try LoopbackServer { _ in [.close] }
        let get = EndpointRequest(url: try url(of: server))
        #expect(await result(of: get, by: AsyncHTTPClientTransport()) == .failure(.interrupted))
        #expect(server.requests.count == 1)
    }

    @Test("A request is repeated at most once")
    func once() async throws {
        let server = try LoopbackServer { request in request.number == 0 ? .response(body: "0") : [.close] }
        let transport = AsyncHTTPClientTransport()
        _ = try await transport.send(EndpointRequest(url: try url(of: server)))
        let request = EndpointRequest(url: try url(of: server))
        #expect(await result(of: request, by: transport) == .failure(.interrupted))
        #expect(server.requests.count == 3)
    }
}
