#if AsyncHTTPClient
    import NIOCore
    import NIOHTTP1

    /// A handler on each connection that rejects weak certificates and responses that would end the process, and
    /// reports a connection that the server closed while it was idle.
    ///
    /// AsyncHTTPClient waits for another response head after each one with a status below 200. Its parser does not
    /// treat a status below 100 as an interim response, so the end of that response traps.
    final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// The fault of a certificate that the handshake has accepted; the guard sends nothing to its server.
        private let certificateFault: CertificateFault?
        private var requestCount = 0
        private var awaitsResponse = false
        private var hasEnded = false

        init(_ certificateFault: CertificateFault?) { self.certificateFault = certificateFault }

        /// Adds a guard between a connection's parser and its client.
        ///
        /// These rules do not apply where the certificate is not verified (`verifying`).
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
            // A connection that ends before a head, by TCP or TLS, has ended; bytes that are not HTTP are a response.
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

        /// Whether the connection has served an earlier request, and no response head for this one has come.
        private var isStale: Bool { requestCount > 1 && awaitsResponse }

        private func end(_ error: any Error, _ context: ChannelHandlerContext) {
            guard !hasEnded else { return }
            hasEnded = true
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    /// The error of a request whose pooled connection the server closed before the response head came.
    struct StaleConnection: Error {}
#endif
