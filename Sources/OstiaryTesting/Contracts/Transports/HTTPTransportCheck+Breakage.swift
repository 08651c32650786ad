import Foundation
import OstiaryOAuth

/// The promises about naming the cause of a failure.
extension HTTPTransportTrial {
    func reportsRefusedConnection() async throws(HTTPTransportCheckFailure) {
        // A port that is taken and not listened on refuses.
        guard let socket = try? SocketDescriptor(onLoopback: ()), let port = try? socket.localPort(),
            let url = URL(string: "http://127.0.0.1:\(port)/")
        else { throw broken("the check could not take a port") }
        for deadline in [Duration.seconds(1), .seconds(3)] {
            try await expect(EndpointRequest(url: url, limits: .init(deadline: deadline)), toFailAs: [.unreachable])
        }
        withExtendedLifetime(socket) {}
    }

    func reportsUnknownHost() async throws(HTTPTransportCheckFailure) {
        guard let url = URL(string: "http://no-such-host.invalid/") else { return }
        // Without a network, some resolvers take longer to give up than a check should.
        let request = EndpointRequest(url: url, limits: .init(deadline: .seconds(4)))
        try await expect(request, toFailAs: [.unknownHost, .timedOut])
    }

    func reportsClosedConnection() async throws(HTTPTransportCheckFailure) {
        try await expect(try server { _ in [.close] }.request(), toFailAs: [.interrupted])
    }

    func reportsCutHead() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in [.text("HTTP/1.1 200 OK\r\nContent-Le"), .close] }
        try await expect(server.request(), toFailAs: [.interrupted, .notHTTP])
    }

    func reportsCutBody() async throws(HTTPTransportCheckFailure) {
        let server = try server { request in
            let framing = request.target == "/chunks" ? "Transfer-Encoding: chunked" : "Content-Length: 100"
            return [.head(200, [framing]), .text(request.target == "/chunks" ? "64\r\nabc" : "abc"), .close]
        }
        try await expect(server.request("/length"), toFailAs: [.interrupted])
        try await expect(server.request("/chunks"), toFailAs: [.interrupted])
    }

    func reportsGarbage() async throws(HTTPTransportCheckFailure) {
        let server = try server { _ in [.text("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"), .close] }
        try await expect(server.request(), toFailAs: [.notHTTP, .interrupted])
    }

    func reportsMissingTLS() async throws(HTTPTransportCheckFailure) {
        let server = try server(greeting: [.text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .close])
        try await expect(server.request(scheme: "https"), toFailAs: [.tls, .interrupted])
    }
}
