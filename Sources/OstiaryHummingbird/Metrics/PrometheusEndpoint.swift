#if Hummingbird
    public import HTTPTypes
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// The endpoint from which Prometheus reads the metrics.
    ///
    /// The metrics reveal how much a service is used: mount the endpoint where only Prometheus reaches it.
    public struct PrometheusEndpoint: ServerEndpoint {
        private let registry: PrometheusRegistry
        private let standing: StandingFigures

        /// Makes the endpoint.
        ///
        /// - Parameters:
        ///   - registry: The registry in which the process counts.
        ///   - keys: The issuers whose keys' age is reported as `ostiary_keys_age_seconds`; `+Inf` for keys that were
        ///     never fetched.
        ///   - cache: The cache whose size, hits and misses are reported as `ostiary_token_cache…`.
        ///   - now: The time. Default: the system's clock.
        public init(
            _ registry: PrometheusRegistry,
            keys: [KeySource] = [],
            cache: VerifiedTokenCache? = nil,
            now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.registry = registry
            standing = StandingFigures(registry, keys: keys, cache: cache, now: now)
        }

        /// GET.
        public var method: HTTPRequest.Method { .get }
        /// A GET request has no body.
        public var maximumBodyBytes: Int { 0 }

        /// Responds with the metrics as text.
        public func respond(to request: ServerRequest) async -> ServerResponse {
            standing.read()
            return ServerResponse(
                status: .ok,
                fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
                body: Array(registry.text.utf8)
            )
        }
    }
#endif
