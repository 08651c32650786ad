#if Hummingbird
    import HTTPTypes
    public import NIOCore
    public import NIOHTTPTypes

    /// Closes a connection after the response to a request that asks for another protocol (`Upgrade`, `CONNECT`).
    ///
    /// For a server without WebSockets and tunnels. SwiftNIO reads no request after such a one: on a connection that a
    /// proxy keeps open, the next request, perhaps another user's, would get no response until the idle time-out. The
    /// response has `Connection: close`, so the proxy opens a new connection (RFC 9110 section 7.8, RFC 9112 section 9.6).
    ///
    ///     .http1(
    ///         configuration: .init(
    ///             additionalChannelHandlers: [RequestDeadlineHandler(.seconds(20)), UpgradeRefusalHandler()],
    ///             idleTimeout: .seconds(20)))
    public final class UpgradeRefusalHandler: ChannelDuplexHandler, RemovableChannelHandler {
        /// Parts of requests.
        public typealias InboundIn = HTTPRequestPart
        /// The same parts, unchanged.
        public typealias InboundOut = HTTPRequestPart
        /// Parts of responses.
        public typealias OutboundIn = HTTPResponsePart
        /// The same parts, with `Connection: close` in the last response.
        public typealias OutboundOut = HTTPResponsePart

        /// The number of requests without a whole response.
        private var unanswered = 0
        /// Whether the newest request is the last one that is read.
        private var isLast = false

        /// Makes a handler for one connection.
        public init() {}

        /// Notes a request that asks for another protocol.
        public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data) {
                unanswered += 1
                isLast = Self.asksForAnotherProtocol(head)
            }
            context.fireChannelRead(data)
        }

        /// Closes the connection after the response to it.
        public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch unwrapOutboundIn(data) {
            case .head(var head) where isLast && unanswered == 1:
                head.headerFields[.connection] = "close"
                context.write(wrapOutboundOut(.head(head)), promise: promise)
            case .end:
                unanswered -= 1
                guard isLast, unanswered == 0 else { return context.write(data, promise: promise) }
                context.writeAndFlush(data, promise: promise)
                context.close(promise: nil)
            default: context.write(data, promise: promise)
            }
        }

        private static func asksForAnotherProtocol(_ request: HTTPRequest) -> Bool {
            guard request.method != .connect else { return true }
            // `Upgrade` alone is a field that a proxy has passed on.
            guard request.headerFields[.upgrade] != nil else { return false }
            let options = request.headerFields[values: .connection].flatMap { $0.lowercased().split(separator: ",") }
            return options.contains { option in option.filter { $0 != " " && $0 != "\t" } == "upgrade" }
        }
    }

    // A handler belongs to the event loop of its connection.
    @available(*, unavailable)
    extension UpgradeRefusalHandler: Sendable {}
#endif
