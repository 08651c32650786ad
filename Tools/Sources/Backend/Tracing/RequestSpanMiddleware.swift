import HTTPTypes
import Hummingbird
import Tracing

/// A server span around each request, which continues the trace of the client (`traceparent`).
///
/// A span has the method, the path as it is mounted, and the status. Unlike Hummingbird's `TracingMiddleware` it has no
/// query and no address: the redirect of a sign-in has a code in its query.
struct RequestSpanMiddleware<Context: RequestContext>: RouterMiddleware {
    private let source: SpanSource

    /// Traces requests.
    ///
    /// - Parameter tracer: Default: the process's.
    init(tracer: (any Tracer)? = nil) { source = SpanSource(tracer) }

    /// Passes a request on in a span of its own.
    func handle(
        _ request: Request,
        context: Context,
        next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let method = request.method.rawValue
        let parent = source.extract(from: request.headers)
        let result = await source.span("\(method) unknown", .server, context: parent) {
            span -> Result<Response, any Error> in
            span.attributes["http.request.method"] = method
            do {
                let response = try await next(request, context)
                Self.note(response.status, of: context, method, in: span)
                return .success(response)
            } catch {
                let status = (error as? any HTTPResponseError)?.status ?? .internalServerError
                Self.note(status, of: context, method, in: span)
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func note(_ status: HTTPResponse.Status, of context: Context, _ method: String, in span: any Span) {
        let route = context.endpointPath
        span.operationName = "\(method) \(route ?? "unknown")"
        span.attributes["http.route"] = route
        span.attributes["http.response.status_code"] = status.code
        if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
    }
}
