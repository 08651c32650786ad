import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// An answer as it came over the socket.
struct RawAnswer: Sendable {
    var status: Int
    var fields: HTTPHeaders
    var text: String
}

/// Sends requests as they are, follows nothing.
enum RawHTTP {
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // A port without a listener is an answer, and no reason to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    static func send(
        _ method: HTTPMethod = .GET,
        _ url: String,
        fields: HTTPHeaders = [:],
        body: String? = nil
    ) async throws -> RawAnswer {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers = fields
        if let body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .seconds(30))
        let buffer = try await response.body.collect(upTo: 1 << 20)
        return RawAnswer(status: Int(response.status.code), fields: response.headers, text: String(buffer: buffer))
    }
}
