#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    import Logging
    import OstiaryServer

    /// Gives each request an identifier that its log lines and its response carry.
    ///
    /// All work for the request finds the identifier in ``RequestNumber/current``, including a refresh that continues
    /// after the request has ended: a log handler that adds it makes every line lead to its request.
    ///
    /// An identifier that arrives with a request is kept only from the operator's own proxy, as the source says: any
    /// other sender could write text of its choice into the log.
    public struct RequestIDMiddleware<Context: RequestContext>: RouterMiddleware {
        /// The source of the identifiers.
        public enum Source: Sendable, Hashable {
            /// The server, always.
            case server
            /// The proxy in front, when its identifier is 1 to 120 letters, digits and `_.:-`.
            case proxy
        }

        private let source: Source

        /// Makes the middleware.
        ///
        /// - Parameter source: The source of the identifiers. Default: the server.
        public init(_ source: Source = .server) { self.source = source }

        /// Sets a request's identifier.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            let given = source == .proxy ? request.headers[.xRequestID].flatMap(Self.checked) : nil
            // `context.id` reads the identifier back from the logger, and ends the process when the logger has none.
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

    /// The identifier of the request that a task works for.
    public enum RequestNumber {
        /// The identifier; `nil` outside of a request.
        @TaskLocal public static var current: String?
    }

    extension HTTPField.Name {
        // The literal is a token, so there is a name for it.
        // swift-format-ignore: NeverForceUnwrap
        /// `X-Request-Id`: the identifier of a request.
        static let xRequestID = HTTPField.Name("X-Request-Id")!
    }
#endif
