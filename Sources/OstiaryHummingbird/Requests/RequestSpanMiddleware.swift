#if Hummingbird
    import HTTPTypes
    public import Hummingbird
    import OstiaryObservability
    public import Tracing

    /// A server span around each request, which continues the trace of the client (`traceparent`).
    ///
    /// A span has the method, the path as it is mounted, and the status. Unlike Hummingbird's `TracingMiddleware` it has
    /// no query and no address: the redirect of a sign-in has a code in its query.
    ///
    ///     router.add(middleware: RequestSpanMiddleware())
    public struct RequestSpanMiddleware<Context: RequestContext>: RouterMiddleware {
        private let source: SpanSource

        /// Traces requests.
        ///
        /// - Parameter tracer: The tracer of the spans, which also reads the client's context. Default: the process's.
        public init(tracer: (any Tracer)? = nil) { source = SpanSource(tracer) }

        /// Passes a request on in a span of its own.
        ///
        /// - Throws: The error of the route.
        public func handle(
            _ request: Request,
            context: Context,
            next: @concurrent (Request, Context) async throws -> Response
        ) async throws -> Response {
            try await source.serve(
                request.method.rawValue,
                request.headers,
                // A request without a route has "NotFound" there, and no path.
                route: { context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } },
                status: Self.status,
                by: { try await next(request, context) }
            )
        }

        private static func status(of result: Result<Response, any Error>) -> Int {
            switch result {
            case .success(let response): response.status.code
            case .failure(let error): ((error as? any HTTPResponseError)?.status ?? .internalServerError).code
            }
        }
    }
#endif
