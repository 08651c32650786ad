import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
public import OstiaryServer

/// The backend kit on SwiftNIO alone: an adapter by hand, for a server whose framework has none.
///
/// It turns requests into values and values into responses. A service adds time-outs, TLS and an orderly end.
public enum PlainServer {
    /// Serves HTTP/1.1 at 127.0.0.1 until the task is cancelled.
    public static func run(
        port: Int,
        listening: @Sendable (Int) -> Void,
        respond: @escaping @Sendable (ServerRequest) async -> ServerResponse
    ) async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    return try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(
                        wrappingChannelSynchronously: channel
                    )
                }
            }
        listening(server.channel.localAddress?.port ?? port)
        try await withThrowingDiscardingTaskGroup { group in
            try await server.executeThenClose { connections in
                for try await connection in connections {
                    group.addTask { try? await serve(connection, respond) }
                }
            }
        }
    }

    private static func serve(
        _ connection: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>,
        _ respond: @Sendable (ServerRequest) async -> ServerResponse
    ) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var request = ServerRequest()
            for try await part in inbound {
                switch part {
                case .head(let head):
                    request = ServerRequest(method: head.method, target: head.path ?? "/", fields: head.headerFields)
                    request.sender = connection.channel.remoteAddress?.ipAddress
                case .body(let bytes):
                    // The connection closes: the rest of an oversized body must not be read as the next request.
                    guard request.body.count + bytes.readableBytes <= 16_384 else { return }
                    request.body += bytes.readableBytesView
                case .end:
                    let response = await respond(request)
                    var head = HTTPResponse(status: response.status, headerFields: response.fields)
                    head.headerFields[.contentLength] = String(response.body.count)
                    try await outbound.write(.head(head))
                    try await outbound.write(.body(ByteBuffer(bytes: response.body)))
                    try await outbound.write(.end(nil))
                }
            }
        }
    }
}
