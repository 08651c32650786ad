import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OstiaryJOSE
import Testing

/// A stream of server-sent events, as a page reads it.
struct EventStream {
    /// The status of the response.
    let status: Int
    /// The fields of the response.
    let fields: HTTPHeaders
    private var chunks: AsyncThrowingStream<ByteBuffer, any Error>.AsyncIterator
    private var rest = ""
    private var waiting: [JSONObject] = []

    /// A stream holds its connection: there have to be as many as a test opens.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    init(_ url: String, fields: HTTPHeaders = [:]) async throws {
        var request = HTTPClientRequest(url: url)
        request.headers = fields
        let response = try await Self.client.execute(request, timeout: .seconds(60))
        status = Int(response.status.code)
        self.fields = response.headers
        let (stream, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        let reading = Task {
            do {
                for try await chunk in response.body { continuation.yield(chunk) }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in reading.cancel() }
        chunks = stream.makeAsyncIterator()
    }

    /// The data of the next event; `nil` when the stream has ended.
    mutating func event() async throws -> JSONObject? {
        while waiting.isEmpty {
            guard let chunk = try await chunks.next(isolation: #isolation) else { return nil }
            let parts = (rest + String(buffer: chunk)).components(separatedBy: "\n\n")
            rest = parts.last ?? ""
            for part in parts.dropLast() {
                let line = try #require(part.split(separator: "\n").first { $0.hasPrefix("data: ") })
                waiting.append(try JSONObject(parsing: Array(line.utf8.dropFirst(6)), limits: Self.limits))
            }
        }
        return waiting.removeFirst()
    }

    /// The exchanges of the stream, up to a number of them.
    mutating func exchanges(_ count: Int) async throws -> [JSONObject] {
        var all: [JSONObject] = []
        while all.count < count, let event = try await event() {
            all += event["exchanges"]?.array?.compactMap(\.object) ?? []
        }
        return all
    }

    private static let limits = JSONLimits(maximumBytes: 8 << 20, maximumMembers: 100_000)
}
