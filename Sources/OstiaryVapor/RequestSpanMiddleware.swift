#if Vapor
    import HTTPTypes
    import NIOHTTP1
    import OstiaryObservability
    public import Tracing
    public import Vapor

    /// A server span around each request, which continues the trace of the client (`traceparent`).
    ///
    ///     app.middleware.use(RequestSpanMiddleware())
    ///
    /// A span has the method, the path as it is mounted, and the status. Unlike Vapor's `TracingMiddleware` it has no
    /// query, no path as it was requested, and no address: the redirect of a sign-in has a code in its query.
    public struct RequestSpanMiddleware: AsyncMiddleware {
        private let source: SpanSource

        /// Traces requests.
        ///
        /// - Parameter tracer: The tracer of the spans, which also reads the client's context. Default: the process's.
        public init(tracer: (any Tracer)? = nil) { source = SpanSource(tracer) }

        /// Passes a request on in a span of its own.
        ///
        /// - Throws: The error of the route.
        public func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
            let outer = request.serviceContext
            // With `traceAutoPropagation` Vapor restores this context between the futures of a route.
            defer { request.serviceContext = outer }
            return try await source.serve(
                request.method.rawValue,
                HTTPFields(of: request.headers),
                route: { request.route.map { "/" + $0.path.string } },
                status: Self.status,
                by: {
                    request.serviceContext = ServiceContext.current ?? outer
                    return try await next.respond(to: request)
                }
            )
        }

        private static func status(of result: Result<Response, any Error>) -> Int {
            switch result {
            case .success(let response): Int(response.status.code)
            case .failure(let error): Int(((error as? any AbortError)?.status ?? .internalServerError).code)
            }
        }
    }
#endif
