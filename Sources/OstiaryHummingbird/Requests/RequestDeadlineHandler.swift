#if Hummingbird
    public import NIOCore
    public import NIOHTTPTypes

    /// Closes a connection whose request is not complete in time.
    ///
    /// The server's own idle time-out closes a connection that receives nothing, and one whose head is not completed. A
    /// sender of a byte of the body now and then is neither, and would hold a connection for ever: before the route has
    /// responded, when it waits for the body, and also afterwards, since the rest of a body is read to find the next
    /// request.
    ///
    ///     .http1(
    ///         configuration: .init(
    ///             additionalChannelHandlers: [RequestDeadlineHandler(.seconds(20))],
    ///             idleTimeout: .seconds(20)))
    ///
    /// The time counts from the head to the end of the body; the time that a route takes to respond is not counted.
    public final class RequestDeadlineHandler: ChannelInboundHandler, RemovableChannelHandler {
        /// Parts of requests.
        public typealias InboundIn = HTTPRequestPart
        /// The same parts, unchanged.
        public typealias InboundOut = HTTPRequestPart

        private let limit: TimeAmount
        private var deadline: Scheduled<Void>?

        /// Makes a handler for one connection.
        ///
        /// - Parameter limit: The longest time from a request's head to the end of its body.
        public init(_ limit: Duration) { self.limit = TimeAmount(limit) }

        /// Starts the timer at a head, and stops it at the end.
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

        /// Stops the timer.
        public func channelInactive(context: ChannelHandlerContext) {
            stop()
            context.fireChannelInactive()
        }

        /// Stops the timer.
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
