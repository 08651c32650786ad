#if Hummingbird
    public import NIOCore
    public import NIOHTTPTypes

    /// Ends a connection whose request does not come to its end in time.
    ///
    /// The server's own idle time-out ends a connection on which nothing comes, and one whose head does not come to its end. Who sends a
    /// byte of a body now and then is neither, and would hold a connection for ever: before the route has answered, when it waits for
    /// the body, and also after it, since the rest of a body is read to find the next request.
    ///
    ///     .http1(
    ///         configuration: .init(
    ///             additionalChannelHandlers: [RequestDeadlineHandler(.seconds(20))],
    ///             idleTimeout: .seconds(20)))
    ///
    /// The time counts from the head to the end of the body; how long a route takes for its answer is not counted.
    public final class RequestDeadlineHandler: ChannelInboundHandler, RemovableChannelHandler {
        /// Parts of requests.
        public typealias InboundIn = HTTPRequestPart
        /// The same parts, as they came.
        public typealias InboundOut = HTTPRequestPart

        private let limit: TimeAmount
        private var deadline: Scheduled<Void>?

        /// Makes a handler for one connection.
        ///
        /// - Parameter limit: How long a request may take from its head to the end of its body.
        public init(_ limit: Duration) { self.limit = TimeAmount(limit) }

        /// Starts the time with a head, and stops it with the end.
        public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head:
                let channel = context.channel
                deadline?.cancel()
                deadline = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
            case .body: break
            case .end: stop()
            }
            context.fireChannelRead(data)
        }

        /// Stops the time.
        public func channelInactive(context: ChannelHandlerContext) {
            stop()
            context.fireChannelInactive()
        }

        /// Stops the time.
        public func handlerRemoved(context: ChannelHandlerContext) { stop() }

        private func stop() {
            deadline?.cancel()
            deadline = nil
        }
    }

    // A handler belongs to the event loop of its connection.
    @available(*, unavailable)
    extension RequestDeadlineHandler: Sendable {}
#endif
