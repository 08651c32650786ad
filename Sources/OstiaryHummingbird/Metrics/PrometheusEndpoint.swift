#if Hummingbird
    public import HTTPTypes
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// The place where Prometheus fetches the figures.
    ///
    /// They tell how much a service is used; mount it where only Prometheus gets.
    public struct PrometheusEndpoint: ServerEndpoint {
        private let registry: PrometheusRegistry
        private let standing: StandingFigures

        /// Makes the place.
        ///
        /// - Parameters:
        ///   - registry: Where the process counts.
        ///   - keys: The issuers whose keys' age is told, as `ostiary_keys_age_seconds`; `+Inf` for keys that were never had.
        ///   - cache: The cache whose room, hits and misses are told, as `ostiary_token_cache…`.
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
        /// None.
        public var maximumBodyBytes: Int { 0 }

        /// The figures, as text.
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
