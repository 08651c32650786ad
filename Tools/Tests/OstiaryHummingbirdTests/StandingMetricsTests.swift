import Foundation
import HTTPTypes
import MetricsTestKit
import OstiaryHummingbird
import Synchronization
import Testing

@Suite("Metrics that are recorded when they are collected")
struct StandingMetricsTests {
    @Test("The age of an issuer's keys and the cache of checked tokens are recorded as they are at that moment")
    func standing() async throws {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: Fixtures.clock)
        let cache = VerifiedTokenCache()
        let server = ResourceServer(keys: [keys], cache: cache, clock: Fixtures.clock)
        let resource = try server.resource(Fixtures.policy())
        let metrics = TestMetrics()
        let standing = StandingMetrics(
            keys: [keys],
            cache: cache,
            factory: metrics,
            clock: DeviceClock(now: { Fixtures.now.addingTimeInterval(90) })
        )
        func age() throws -> Double? {
            standing.record()
            return try metrics.expectGauge("ostiary_keys_age_seconds", [("issuer", Fixtures.issuer.description)])
                .lastValue
        }
        func looks(_ outcome: String) throws -> Int64 {
            try metrics.expectCounter("ostiary_token_cache", [("outcome", outcome)]).totalValue
        }
        let token = Fixtures.bearer()
        #expect(try age() == .infinity)
        for _ in 0..<3 { _ = await resource.authorize(fields: token) }
        #expect(try age() == 90)
        #expect(try metrics.expectGauge("ostiary_token_cache_entries").lastValue == 1)
        #expect(try looks("hit") == 2)
        #expect(try looks("miss") == 1)
        _ = await resource.authorize(fields: token)
        standing.record()
        #expect(try looks("hit") == 3)
    }

    private final class Use: Sendable {
        let now = Mutex<StandingMetrics.StoreConnections>((used: 1, waiting: 0, maximum: 4))
    }

    @Test("A store's connections are recorded as they are at that moment, and not for a store without any")
    func connections() throws {
        let metrics = TestMetrics()
        let use = Use()
        let standing = StandingMetrics(keys: [], connections: { use.now.withLock { $0 } }, factory: metrics)
        func recorded() throws -> [Double?] {
            standing.record()
            return try ["used", "waiting", "maximum"].map {
                try metrics.expectGauge("ostiary_store_connections_" + $0).lastValue
            }
        }
        #expect(try recorded() == [1, 0, 4])
        use.now.withLock { $0 = (4, 7, 4) }
        #expect(try recorded() == [4, 7, 4])
        let none = TestMetrics()
        StandingMetrics(keys: [], factory: none).record()
        #expect(throws: (any Error).self) { try none.expectGauge("ostiary_store_connections_maximum") }
    }
}
