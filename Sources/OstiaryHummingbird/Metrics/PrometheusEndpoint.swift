#if Hummingbird
    public import HTTPTypes
    public import OstiaryServer

    /// The place where Prometheus fetches the figures.
    ///
    /// They tell how much a service is used; mount it where only Prometheus gets.
    public struct PrometheusEndpoint: ServerEndpoint {
        private let registry: PrometheusRegistry

        /// Makes the place.
        public init(_ registry: PrometheusRegistry) { self.registry = registry }

        /// GET.
        public var method: HTTPRequest.Method { .get }
        /// None.
        public var maximumBodyBytes: Int { 0 }

        /// The figures, as text.
        public func respond(to request: ServerRequest) async -> ServerResponse {
            ServerResponse(
                status: .ok,
                fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: Array(registry.text.utf8)
            )
        }
    }
#endif
