import Foundation
import HTTPTypes
import MetricsTestKit
import OstiaryHummingbird
import Testing

@Suite("Metrics that are recorded when they are collected")
struct StandingMetricsTests {
    @Test("The age of an issuer's keys and the cache of checked tokens are recorded as they are at that moment")
    func standing() async throws {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), now: { Fixtures.now })
        let cache = VerifiedTokenCache()
        let server = ResourceServer(keys: [keys], cache: cache, now: { Fixtures.now })
        let resource = try server.resource(Fixtures.policy())
        let metrics = TestMetrics()
        let standing = StandingMetrics(
            keys: [keys],
            cache: cache,
            factory: metrics,
            now: { Fixtures.now.addingTimeInterval(90) }
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
}
