#if AsyncHTTPClient
    import NIOCore
    import NIOHTTP1

    /// A handler on each connection that keeps from the client what would end the process or weaken TLS, and reports a
    /// connection that the server closed while it was idle.
    ///
    /// The client waits for the head of a response after each one with a status below 200. A status below 100 is none of
    /// the interim responses that its parser expects there, and the response's end then traps.
    final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// The certificate that the handshake has accepted and these rules do not; nothing is sent to its server.
        private let certificateFault: CertificateFault?
        private var requestCount = 0
        private var awaitsResponse = false
        private var hasEnded = false

        init(_ certificateFault: CertificateFault?) { self.certificateFault = certificateFault }

        /// Adds a guard between a connection's parser and its client.
        ///
        /// - Parameter verifying: Whether the certificate is verified, and so has to keep to these rules.
        static func add(to channel: any Channel, verifying: Bool) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self)
                let connectionGuard = ConnectionGuard(verifying ? CertificateFault(of: channel) : nil)
                try pipeline.addHandler(connectionGuard, position: .after(decoder.handler))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .head = unwrapOutboundIn(data) {
                requestCount += 1
                awaitsResponse = true
            }
            guard let certificateFault else { return context.write(data, promise: promise) }
            // Not at once: the client is in the middle of writing.
            context.eventLoop.assumeIsolated().execute {
                promise?.fail(certificateFault)
                self.end(certificateFault, context)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasEnded else { return }
            if case .head(let head) = unwrapInboundIn(data) {
                awaitsResponse = false
                guard head.status.code >= 100 else { return end(HTTPParserError.invalidStatus, context) }
            }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard !hasEnded else { return }
            hasEnded = true
            // An end in place of a head, by TCP or by TLS, is an end; what is not HTTP is an answer.
            let isGarbage = (error as? HTTPParserError).map { $0 != .invalidEOFState } ?? false
            context.fireErrorCaught(isStale && !isGarbage ? StaleConnection() : error)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if isStale, !hasEnded {
                hasEnded = true
                context.fireErrorCaught(StaleConnection())
            }
            context.fireChannelInactive()
        }

        /// Whether the connection has served a request before this one, and no head of a response to this one has come.
        private var isStale: Bool { requestCount > 1 && awaitsResponse }

        private func end(_ error: any Error, _ context: ChannelHandlerContext) {
            guard !hasEnded else { return }
            hasEnded = true
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    /// A connection that the pool kept open was closed by the server before the head of a response came.
    struct StaleConnection: Error {}
#endif
