#if Hummingbird || Vapor
    public import CoreMetrics
    import HTTPTypes
    import Metrics
    public import OstiaryOAuth

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Measures the requests to issuers with the timer `ostiary_issuer`, by host, purpose and outcome.
    ///
    /// The service's `/metrics` has it as `ostiary_issuer_seconds`; another backend of swift-metrics names units as it
    /// does. The outcome is `ok`, `status_4xx`, `status_5xx`, or the name of the `TransportFailure`. No label has a path, a
    /// query or a value that was sent.
    ///
    ///     let transport = MeasuredTransport(AsyncHTTPClientTransport())
    public struct MeasuredTransport: HTTPTransport {
        private let transport: any HTTPTransport
        private let factory: any MetricsFactory

        /// Measures the requests of a transport.
        ///
        /// - Parameters:
        ///   - transport: The transport, for requests to issuers.
        ///   - factory: The metrics backend. Default: the process's.
        public init(_ transport: any HTTPTransport, factory: any MetricsFactory = MetricsSystem.factory) {
            self.transport = transport
            self.factory = factory
        }

        /// Sends a request, and records the time until its response or failure.
        public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
            let start = ContinuousClock.now
            do throws(TransportFailure) {
                let response = try await transport.send(request)
                record(request, Self.outcome(of: response.status), since: start)
                return response
            } catch {
                record(request, error.rawValue, since: start)
                throw error
            }
        }

        private func record(_ request: EndpointRequest, _ outcome: String, since start: ContinuousClock.Instant) {
            let dimensions = [
                ("host", request.url.host() ?? ""), ("purpose", Self.label(of: request)), ("outcome", outcome),
            ]
            Metrics.Timer(label: "ostiary_issuer", dimensions: dimensions, factory: factory)
                .record(duration: ContinuousClock.now - start)
        }

        private static func outcome(of status: HTTPResponse.Status) -> String {
            switch status.code {
            case ..<400: "ok"
            case ..<500: "status_4xx"
            default: "status_5xx"
            }
        }

        private static func label(of request: EndpointRequest) -> String {
            if let purpose = purpose(of: request) { return purpose }
            let path = request.url.path()
            return path.contains("/.well-known/openid-configuration")
                || path.contains("/.well-known/oauth-authorization-server") ? "metadata" : "other"
        }

        /// Returns the purpose of a request to an issuer: `sign-in` and `refresh` by the grant, `introspection` and
        /// `revocation` by the kind of the token that it is about; `nil` for another one.
        public static func purpose(of request: EndpointRequest) -> String? {
            switch request.form["grant_type"] {
            case "authorization_code": return "sign-in"
            case "refresh_token": return "refresh"
            case .some: return nil
            case nil: break
            }
            guard request.form["token"] != nil else { return nil }
            return switch request.form["token_type_hint"] {
            case "access_token": "introspection"
            case "refresh_token": "revocation"
            default: nil
            }
        }
    }
#endif
