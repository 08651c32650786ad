import Foundation
import HTTPTypes
import OstiaryHummingbird
import OstiaryOAuth
import Tracing

/// A transport with a client span around each request, whose context the server gets (`traceparent`).
///
/// A span has the request's method, the server's host, the response's status or the failure, and no query, field or body. It is a
/// part of the span of the request that caused it. One to an issuer is named after its purpose where it has a known one, such as
/// `refresh id.example.com`: see `MeasuredTransport.purpose(of:)`.
///
///     let transport = TracedTransport(AsyncHTTPClientTransport())
struct TracedTransport: HTTPTransport {
    private let next: any HTTPTransport
    private let recordsPaths: Bool
    private let source: SpanSource

    /// Traces the requests of a transport.
    ///
    /// - Parameters:
    ///   - next: The transport.
    ///   - recordsPaths: Whether spans have the path: not where it may contain the name of a user. Default: `true`, for the
    ///     endpoints of issuers.
    ///   - tracer: Default: the process's.
    init(_ next: any HTTPTransport, recordingPaths recordsPaths: Bool = true, tracer: (any Tracer)? = nil) {
        self.next = next
        self.recordsPaths = recordsPaths
        source = SpanSource(tracer)
    }

    /// Sends a request in a span of its own.
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let host = request.url.host() ?? ""
        let path = recordsPaths ? request.url.path() : ""
        let purpose = recordsPaths ? MeasuredTransport.purpose(of: request) : nil
        let name = purpose.map { "\($0) \(host)" } ?? "\(request.method.rawValue) \(host)\(path)"
        let result = await source.span(name, .client) {
            span -> Result<EndpointResponse, TransportFailure> in
            span.attributes["http.request.method"] = request.method.rawValue
            span.attributes["server.address"] = host
            if recordsPaths { span.attributes["url.path"] = path }
            var request = request
            source.inject(into: &request.fields)
            do throws(TransportFailure) {
                let response = try await next.send(request)
                span.attributes["http.response.status_code"] = response.status.code
                if response.status.code >= 400 { span.setStatus(SpanStatus(code: .error)) }
                return .success(response)
            } catch {
                span.attributes["error.type"] = error.rawValue
                span.setStatus(SpanStatus(code: .error))
                return .failure(error)
            }
        }
        return try result.get()
    }
}
