#if Hummingbird || Vapor
    import HTTPTypes
    public import OstiaryOAuth
    public import Tracing

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A transport with a client span around each request, whose context the server gets (`traceparent`).
    ///
    /// A span has the request's method, the server's host, the response's status or the failure, and no query, field or
    /// body. It is a part of the span of the request that caused it. One to an issuer is named after its purpose where
    /// it has a known one, such as `refresh id.example.com`: see `MeasuredTransport.purpose(of:)`.
    ///
    ///     let transport = MeasuredTransport(TracedTransport(AsyncHTTPClientTransport()))
    public struct TracedTransport: HTTPTransport {
        /// The servers that get the requests.
        public enum Destination: Sendable, Hashable {
            /// Issuers: spans have the purpose and the path of the endpoint.
            case issuers
            /// APIs to which requests are forwarded: spans have no path, which may contain the name of a user.
            case apis
        }

        private let next: any HTTPTransport
        private let destination: Destination
        private let source: SpanSource

        /// Traces the requests of a transport.
        ///
        /// - Parameters:
        ///   - next: The transport.
        ///   - destination: The servers that get the requests. Default: issuers.
        ///   - tracer: The tracer of the spans, which also passes their context on. Default: the process's.
        public init(_ next: any HTTPTransport, to destination: Destination = .issuers, tracer: (any Tracer)? = nil) {
            self.next = next
            self.destination = destination
            source = SpanSource(tracer)
        }

        /// Sends a request in a span of its own.
        ///
        /// - Throws: The failure of the transport.
        public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            let host = request.url.host() ?? ""
            let path = destination == .issuers ? request.url.path() : nil
            let purpose = destination == .issuers ? MeasuredTransport.purpose(of: request) : nil
            let name = purpose.map { "\($0) \(host)" } ?? "\(request.method.rawValue) \(host)\(path ?? "")"
            let result = await source.span(name, .client) {
                span -> Result<EndpointResponse, TransportFailure> in
                span.attributes["http.request.method"] = request.method.rawValue
                span.attributes["server.address"] = host
                span.attributes["url.path"] = path
                var request = request
                source.inject(into: &request.fields)
                do throws(TransportFailure) {
                    let response = try await next.send(request)
                    span.attributes["http.response.status_code"] = response.status.code
                    if response.status.code >= 400 { span.fail("\(response.status.code)") }
                    return .success(response)
                } catch {
                    span.fail(error.rawValue)
                    return .failure(error)
                }
            }
            return try result.get()
        }
    }
#endif
