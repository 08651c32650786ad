import Foundation
import HTTPTypes
import Ostiary
import OstiaryTesting
import Testing

@Suite("URLSession transport")
struct URLSessionTransportTests {
    /// On Linux these end the process: swiftlang/swift-corelibs-foundation issue 5285.
    #if canImport(FoundationNetworking)
        static let exceptions: Set<HTTPTransportCheck.Promise> = [
            .reportsCutHead, .toleratesTrailerFields, .boundsRedirectBody,
        ]
    #else
        static let exceptions: Set<HTTPTransportCheck.Promise> = []
    #endif

    @Test(
        "The URLSession transport keeps each promise of a transport",
        arguments: HTTPTransportCheck.Promise.allCases.filter { !exceptions.contains($0) }
    )
    func keeps(_ promise: HTTPTransportCheck.Promise) async throws {
        try await HTTPTransportCheck { URLSessionTransport() }.run(promise)
    }

    @Test("A request's User-Agent names the SDK, or the configured product")
    func userAgent() async throws {
        let server = try LoopbackServer { _ in .response() }
        for transport in [URLSessionTransport(), URLSessionTransport(userAgent: "Example/1")] {
            _ = try await transport.send(EndpointRequest(url: try server.url))
        }
        var request = EndpointRequest(url: try server.url)
        request.fields = [.userAgent: "Mine/2"]
        _ = try await URLSessionTransport().send(request)
        #expect(server.requests.flatMap { $0.values(of: "User-Agent") } == ["Ostiary", "Example/1", "Mine/2"])
        #expect(server.requests.flatMap { $0.values(of: "Accept-Encoding") } == ["identity", "identity", "identity"])
    }

    @Test("A transport's URLSession ends with it, after a running request")
    func lifetime() async throws {
        let server = try LoopbackServer { _ in [.pause(.milliseconds(100)), .head(200, ["Content-Length: 0"])] }
        let url = try server.url
        let sending = Task { try await URLSessionTransport().send(EndpointRequest(url: url)) }
        #expect(try await sending.value.status == .ok)
        // The session's connection closes when the session is gone.
        for _ in 0..<400 where !server.connections.allSatisfy(\.isClosedByClient) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(server.connections.map(\.isClosedByClient) == [true])
    }

    @Test(
        "Joined cookies are taken apart at a comma before a name, and nowhere else",
        arguments: [
            ["a=1"],
            ["a=1", "b=2"],
            ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/", "b=2"],
            ["a=1; expires=Wednesday, 09-Jun-27 10:18:14 GMT", "b="],
            ["a=x,y, z; Path=/"],
        ]
    )
    func cookies(_ cookies: [String]) async throws {
        let server = try LoopbackServer { _ in .response(200, cookies.map { "Set-Cookie: \($0)" }) }
        let response = try await URLSessionTransport().send(EndpointRequest(url: try server.url))
        #expect(response.fields[values: .setCookie] == cookies)
    }
}

extension LoopbackServer {
    var url: URL { get throws { try #require(URL(string: "http://127.0.0.1:\(port)/")) } }
}
