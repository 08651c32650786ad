import CoreMetrics
import Foundation
import HTTPTypes
import OstiaryHummingbird
import OstiaryServer
import Testing

@Suite("Figures for Prometheus")
struct PrometheusTests {
    @Test("Counters, gauges and distributions are written as Prometheus reads them")
    func text() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "calls", dimensions: [("outcome", "granted")]).increment(by: 2)
        registry.makeCounter(label: "calls", dimensions: [("outcome", "granted")]).increment(by: 1)
        registry.makeMeter(label: "active.requests", dimensions: []).set(Int64(4))
        let timer = registry.makeTimer(label: "call", dimensions: [])
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let lines = Set(registry.text.split(separator: "\n").map(String.init))
        for line in [
            "# TYPE calls_total counter", #"calls_total{outcome="granted"} 3"#, "# TYPE active_requests gauge",
            "active_requests 4", "# TYPE call_seconds histogram", #"call_seconds_bucket{le="0.0005"} 0"#,
            #"call_seconds_bucket{le="0.001"} 1"#, #"call_seconds_bucket{le="10"} 1"#,
            #"call_seconds_bucket{le="+Inf"} 2"#, "call_seconds_sum 20.001", "call_seconds_count 2",
        ] {
            #expect(lines.contains(line))
        }
    }

    @Test("A metric's label value cannot end its line")
    func escapes() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "1 bad\nname", dimensions: [("a b", "x\"\\\ny")]).increment(by: 1)
        #expect(registry.text.contains(#"_1_bad_name_total{a_b="x\"\\\ny"} 1"#))
    }

    @Test("Metrics over the series limit are dropped and counted")
    func bounded() {
        let registry = PrometheusRegistry(maximumSeries: 3)
        for number in 0..<10 {
            registry.makeCounter(label: "calls", dimensions: [("who", "\(number)")]).increment(by: 1)
        }
        #expect(registry.text.contains("ostiary_dropped_series_total 7"))
        #expect(registry.text.split(separator: "\n").count { $0.hasPrefix("calls_total{") } == 3)
    }

    @Test("The metrics show the age of an issuer's keys and the token cache's figures when they are read")
    func standing() async throws {
        let keys = try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), now: { Fixtures.now })
        let cache = VerifiedTokenCache()
        let server = ResourceServer(keys: [keys], cache: cache, now: { Fixtures.now })
        let resource = try server.resource(Fixtures.policy())
        let endpoint = PrometheusEndpoint(
            PrometheusRegistry(),
            keys: [keys],
            cache: cache,
            now: { Fixtures.now.addingTimeInterval(90) }
        )
        func lines() async -> Set<String> {
            let text = String(decoding: await endpoint.respond(to: ServerRequest()).body, as: UTF8.self)
            return Set(text.split(separator: "\n").map(String.init))
        }
        let issuer = Fixtures.issuer.description
        let token = Fixtures.bearer()
        #expect(await lines().contains("ostiary_keys_age_seconds{issuer=\"\(issuer)\"} +Inf"))
        for _ in 0..<3 { _ = await resource.authorize(fields: token) }
        let first = await lines()
        #expect(first.contains("ostiary_keys_age_seconds{issuer=\"\(issuer)\"} 90"))
        #expect(first.contains("ostiary_token_cache_entries 1"))
        #expect(first.contains(#"ostiary_token_cache_total{outcome="hit"} 2"#))
        #expect(first.contains(#"ostiary_token_cache_total{outcome="miss"} 1"#))
        _ = await resource.authorize(fields: token)
        #expect(await lines().contains(#"ostiary_token_cache_total{outcome="hit"} 3"#))
    }

    @Test("The metrics endpoint responds with the Prometheus text format")
    func endpoint() async {
        let registry = PrometheusRegistry()
        let response = await PrometheusEndpoint(registry).respond(to: ServerRequest())
        #expect(response.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        #expect(response.body == Array(registry.text.utf8))
    }
}
