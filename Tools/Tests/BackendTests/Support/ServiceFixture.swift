import AsyncHTTPClient
import Backend
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// A service in this process, and requests to it.
struct ServiceFixture {
    static let quiet = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    /// A place that takes codes.
    static let handoff = #""ssafy": {"client_id": "a", "redirect_uris": ["https://app.example.com/callback"]}, "#

    let running: RunningBackend

    init(running: RunningBackend) { self.running = running }

    /// Starts a service on a free port, with members of the configuration besides those that are needed.
    init(_ more: String = "", logger: Logger = ServiceFixture.quiet) async throws {
        running = try await BackendServer.start(Self.configuration(more), logger: logger)
    }

    /// The answer to a GET, with header fields.
    func get(_ path: String, _ fields: [(String, String)] = [], port: Int? = nil) async throws -> (
        Int, String, HTTPHeaders
    ) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port ?? running.port)\(path)")
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        let text = String(buffer: try await response.body.collect(upTo: 1_048_576))
        return (Int(response.status.code), text, response.headers)
    }

    static func text(_ more: String) -> String {
        """
        {"listen": {"port": 0}, "origins": ["https://api.example.com"], "store": {"type": "memory"}, \(more)
         "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}]}
        """
    }

    static func configuration(_ more: String = "") throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        try Data(text(more).utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(contentsOf: file.path, environment: ["KEY": BackendConfigurationTests.key])
    }

    /// Posts something to the place that takes codes.
    func handOver(_ body: String, forwardedFor lines: [String] = []) async throws -> (status: Int, text: String) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(running.port)/ssafy/verify")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        for line in lines { request.headers.add(name: "x-forwarded-for", value: line) }
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 4096)))
    }

    /// The status of its health check.
    func health() async throws -> Int {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(running.port)/health")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        _ = try await response.body.collect(upTo: 4096)
        return Int(response.status.code)
    }
}
