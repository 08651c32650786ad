#if Hummingbird
    import Metrics
    import OstiaryServer
    import OstiaryCompatibility

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Values that are computed when the metrics are read: the age of the issuers' keys, and the token cache's
    /// counters.
    final class StandingFigures: Sendable {
        private let keys: [(source: KeySource, age: Gauge)]
        private let cache: VerifiedTokenCache?
        private let entries: Gauge
        private let bytes: Gauge
        private let hits: Counter
        private let misses: Counter
        private let counted = Lock((hits: 0, misses: 0))
        private let now: @Sendable () -> Date

        init(
            _ registry: PrometheusRegistry,
            keys: [KeySource],
            cache: VerifiedTokenCache?,
            now: @escaping @Sendable () -> Date
        ) {
            self.keys = keys.map { source in
                let dimensions = [("issuer", source.issuer.description)]
                return (
                    source, Gauge(label: "ostiary_keys_age_seconds", dimensions: dimensions, factory: registry)
                )
            }
            self.cache = cache
            self.now = now
            entries = Gauge(label: "ostiary_token_cache_entries", factory: registry)
            bytes = Gauge(label: "ostiary_token_cache_bytes", factory: registry)
            hits = Counter(label: "ostiary_token_cache", dimensions: [("outcome", "hit")], factory: registry)
            misses = Counter(label: "ostiary_token_cache", dimensions: [("outcome", "miss")], factory: registry)
        }

        /// Updates the values.
        func read() {
            for (source, age) in keys {
                // Keys that were never fetched have an infinite age.
                age.record(source.snapshot.map { max(0, now().timeIntervalSince($0.fetched)) } ?? .infinity)
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
