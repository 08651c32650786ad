#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    import Logging
    import OstiaryServer

    /// Gives each request a number that its log lines and its answer carry.
    ///
    /// Whatever is done for the request finds it in ``RequestNumber/current``, also a refresh that goes on when the
    /// request has ended: a log handler that adds it makes every line lead to its request.
    ///
    /// A number that comes with a request is kept only when the request comes from a proxy of one's own, which is
    /// asked for here: anybody else would write into the log.
    public struct RequestIDMiddleware<Context: RequestContext>: RouterMiddleware {
        /// Whose numbers are kept.
        public enum Source: Sendable, Hashable {
            /// The server's own, always.
            case server
            /// That of the proxy in front, when it is 1 to 120 letters, digits and `_.:-`.
            case proxy
        }

        private let source: Source

        /// Makes the middleware.
        ///
        /// - Parameter source: Whose numbers are kept. Default: the server's own.
        public init(_ source: Source = .server) { self.source = source }

        /// Numbers a request.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let given = source == .proxy ? request.headers[.xRequestID].flatMap(Self.checked) : nil
            // `context.id` reads the number back from the logger, and ends the process when the logger keeps none.
            let own = context.logger[metadataKey: "hb.request.id"]?.description
            let id = given ?? own ?? Self.random()
            var context = context
            context.logger[metadataKey: "request_id"] = .string(id)
            let numbered = context
            var response = try await RequestNumber.$current.withValue(id) { try await next(request, numbered) }
            response.headers[.xRequestID] = id
            return response
        }

        private static func random() -> String {
            var generator = SystemRandomNumberGenerator()
            return String(generator.next(), radix: 16)
        }

        private static func checked(_ id: String) -> String? {
            let isNumber = id.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_.:-".utf8.contains($0)
                }
            }
            return isNumber && (1...120).contains(id.utf8.count) ? id : nil
        }
    }

    /// The number of the request that a task works for.
    public enum RequestNumber {
        /// The number; `nil` outside of a request.
        @TaskLocal public static var current: String?
    }

    extension HTTPField.Name {
        // The literal is a token, so there is a name for it.
        // swift-format-ignore: NeverForceUnwrap
        /// `X-Request-Id`: the number of a request.
        static let xRequestID = HTTPField.Name("X-Request-Id")!
    }
#endif
