#if Hummingbird || Vapor
    public import CoreMetrics
    import Metrics
    import OstiaryCompatibility
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Reports the age of the issuers' keys as `ostiary_keys_age_seconds`, the cache of checked tokens as
    /// `ostiary_token_cache_entries`, `ostiary_token_cache_bytes` and `ostiary_token_cache`, by outcome, and a store's
    /// connections as `ostiary_store_connections_used`, `ostiary_store_connections_waiting` and
    /// `ostiary_store_connections_maximum`.
    ///
    /// Nothing happens that would change them by itself, so they are recorded when the metrics are collected:
    ///
    ///     let standing = StandingMetrics(keys: [keys], cache: cache)
    ///     router.get("metrics") { _, _ in
    ///         standing.record()
    ///         return registry.emitToString()     // swift-prometheus
    ///     }
    public final class StandingMetrics: Sendable {
        private let keys: [(source: KeySource, age: Gauge)]
        private let cache: VerifiedTokenCache?
        private let connections: (read: @Sendable () -> StoreConnections, used: Gauge, waiting: Gauge, maximum: Gauge)?
        private let entries: Gauge
        private let bytes: Gauge
        private let hits: Counter
        private let misses: Counter
        private let counted = Lock((hits: 0, misses: 0))
        private let now: @Sendable () -> Date

        /// The connections of a store: those that calls have, the calls that wait for one, and the most there may be.
        public typealias StoreConnections = (used: Int, waiting: Int, maximum: Int)

        /// Makes the metrics.
        ///
        /// - Parameters:
        ///   - keys: The issuers' keys.
        ///   - cache: The cache of checked tokens. Default: none is reported.
        ///   - connections: Returns the store's connections, such as `PostgreSQLServerStore.connectionUse`. Default:
        ///     none are reported.
        ///   - factory: The metrics backend. Default: the process's.
        ///   - clock: The time. Default: the system's.
        public init(
            keys: [KeySource],
            cache: VerifiedTokenCache? = nil,
            connections: (@Sendable () -> StoreConnections)? = nil,
            factory: any MetricsFactory = MetricsSystem.factory,
            clock: DeviceClock = .server
        ) {
            self.keys = keys.map { source in
                let dimensions = [("issuer", source.issuer.description)]
                return (source, Gauge(label: "ostiary_keys_age_seconds", dimensions: dimensions, factory: factory))
            }
            self.cache = cache
            // A gauge that is made is exported, also before a value is recorded.
            self.connections = connections.map { read in
                let (used, waiting, maximum) = (
                    Gauge(label: "ostiary_store_connections_used", factory: factory),
                    Gauge(label: "ostiary_store_connections_waiting", factory: factory),
                    Gauge(label: "ostiary_store_connections_maximum", factory: factory)
                )
                return (read, used, waiting, maximum)
            }
            now = clock.now
            entries = Gauge(label: "ostiary_token_cache_entries", factory: factory)
            bytes = Gauge(label: "ostiary_token_cache_bytes", factory: factory)
            hits = Counter(label: "ostiary_token_cache", dimensions: [("outcome", "hit")], factory: factory)
            misses = Counter(label: "ostiary_token_cache", dimensions: [("outcome", "miss")], factory: factory)
        }

        /// Records the values of this moment; the age of keys that were never fetched is infinite.
        public func record() {
            for (source, age) in keys {
                age.record(source.snapshot.map { max(0, now().timeIntervalSince($0.fetched)) } ?? .infinity)
            }
            if let connections {
                let found = connections.read()
                connections.used.record(found.used)
                connections.waiting.record(found.waiting)
                connections.maximum.record(found.maximum)
            }
            guard let cache else { return }
            entries.record(cache.count)
            bytes.record(cache.bytes)
            let (newHits, newMisses) = counted.withLock { counted in
                let found = (hits: cache.hits, misses: cache.misses)
                defer { counted = found }
                return (found.hits - counted.hits, found.misses - counted.misses)
            }
            hits.increment(by: newHits)
            misses.increment(by: newMisses)
        }
    }
#endif
