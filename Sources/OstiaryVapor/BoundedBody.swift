#if Vapor
    import NIOCore
    import NIOHTTP1
    import OstiaryCompatibility
    import OstiaryServer
    import Vapor

    /// Reads a request's body up to a size and within a time.
    ///
    /// The rest of a body that is too large or too slow is read and thrown away, since Vapor keeps the connection for
    /// the next request.
    enum BoundedBody {
        static func read(
            _ request: Request,
            upTo limit: Int,
            within deadline: Duration
        ) async -> Result<[UInt8], RequestFault> {
            let reading = Reading(limit, on: request.eventLoop)
            if let announced = request.headers.first(name: .contentLength).flatMap({ Int($0) }), announced > limit {
                reading.end(.failure(.tooLarge))
            }
            let timer = request.eventLoop.scheduleTask(in: TimeAmount(deadline)) { reading.end(.failure(.tooSlow)) }
            defer { timer.cancel() }
            request.body.drain { part in
                switch part {
                case .buffer(let buffer): reading.add(buffer)
                case .error: reading.end(.failure(.brokenOff))
                case .end: reading.end()
                }
                return request.eventLoop.makeSucceededVoidFuture()
            }
            return await reading.outcome
        }

        /// The bytes that have come so far; it ends once.
        private final class Reading: Sendable {
            private let limit: Int
            private let promise: EventLoopPromise<Result<[UInt8], RequestFault>>
            /// `nil` when it has ended.
            private let bytes = OstiaryCompatibility.Lock<[UInt8]?>([])

            init(_ limit: Int, on eventLoop: any EventLoop) {
                self.limit = limit
                promise = eventLoop.makePromise()
            }

            var outcome: Result<[UInt8], RequestFault> {
                get async { (try? await promise.futureResult.get()) ?? .failure(.brokenOff) }
            }

            func add(_ buffer: ByteBuffer) {
                let fits = bytes.withLock { bytes -> Bool in
                    guard let count = bytes?.count else { return true }
                    guard count + buffer.readableBytes <= limit else { return false }
                    bytes?.append(contentsOf: buffer.readableBytesView)
                    return true
                }
                if !fits { end(.failure(.tooLarge)) }
            }

            /// Ends it, by default with what has come.
            func end(_ failure: Result<[UInt8], RequestFault>? = nil) {
                let whole = bytes.withLock { bytes in
                    defer { bytes = nil }
                    return bytes
                }
                guard let whole else { return }
                promise.succeed(failure ?? .success(whole))
            }
        }
    }
#endif
