import CoreMetrics
import Foundation
import HTTPTypes
import OstiaryHummingbird
import OstiaryServer
import Testing

@testable import Backend

@Suite("Metrics for Prometheus")
struct PrometheusTests {
    private let metrics = PrometheusMetrics()

    private var lines: [String] { metrics.text.split(separator: "\n").map(String.init) }

    @Test("Counters, gauges and distributions are written in the text format of Prometheus")
    func text() {
        metrics.makeCounter(label: "calls", dimensions: [("outcome", "granted")]).increment(by: 2)
        metrics.makeCounter(label: "calls", dimensions: [("outcome", "granted")]).increment(by: 1)
        metrics.makeMeter(label: "active.requests", dimensions: []).set(Int64(4))
        let timer = metrics.makeTimer(label: "call", dimensions: [])
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(20_000_000_000)
        let lines = Set(lines)
        for line in [
            "# TYPE calls_total counter", #"calls_total{outcome="granted"} 3"#, "# TYPE active_requests gauge",
            "active_requests 4.0", "# TYPE call_seconds histogram", #"call_seconds_bucket{le="0.0005"} 0"#,
            #"call_seconds_bucket{le="0.001"} 1"#, #"call_seconds_bucket{le="10.0"} 1"#,
            #"call_seconds_bucket{le="+Inf"} 2"#, "call_seconds_sum 20.001", "call_seconds_count 2",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("Times have fifteen buckets from a quarter of a millisecond to ten seconds, and sizes eight")
    func buckets() {
        func bounds(_ name: String) -> [Double] {
            lines.filter { $0.hasPrefix(name + "_bucket{") }.compactMap { line in
                line.split(separator: "\"").dropFirst().first.flatMap { Double($0) }
            }
        }
        metrics.makeTimer(label: "call", dimensions: []).recordNanoseconds(1)
        metrics.makeRecorder(label: "body", dimensions: [], aggregate: true).record(Int64(1))
        #expect(
            bounds("call_seconds") == [
                0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, .infinity,
            ]
        )
        #expect(bounds("body") == [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, .infinity])
    }

    @Test("A label's value does not end its line")
    func escapes() {
        metrics.makeCounter(label: "1 bad\nname", dimensions: [("a b", "x\"\\\ny")]).increment(by: 1)
        #expect(lines.contains(#"_1_bad_name_total{a_b="x\"\\\ny"} 1"#))
        metrics.makeCounter(label: "long", dimensions: [("who", String(repeating: "w", count: 300))]).increment(by: 1)
        #expect(lines.contains("long_total{who=\"\(String(repeating: "w", count: 200))\"} 1"))
    }

    @Test("An infinite gauge is written as +Inf")
    func infinity() {
        metrics.makeRecorder(label: "age", dimensions: [], aggregate: false).record(Double.infinity)
        #expect(lines.contains("age +Inf"))
    }

    @Test("A label whose values a client chooses does not fill the memory")
    func bounded() {
        let metrics = PrometheusMetrics(maximumSeries: 3)
        for number in 0..<10 {
            metrics.makeCounter(label: "calls", dimensions: [("who", "\(number)")]).increment(by: 1)
        }
        #expect(metrics.text.contains("ostiary_dropped_series_total 7"))
        #expect(metrics.text.split(separator: "\n").count { $0.hasPrefix("calls_total{") } == 3)
    }

    @Test("A series that does not fit its name is dropped, and the process goes on")
    func misfits() {
        metrics.makeCounter(label: "calls", dimensions: []).increment(by: 1)
        metrics.makeCounter(label: "calls", dimensions: [("who", "a")]).increment(by: 1)
        metrics.makeMeter(label: "calls_total", dimensions: []).set(Int64(9))
        metrics.makeTimer(label: "wait", dimensions: [("a.b", "1"), ("a_b", "2")]).recordNanoseconds(1)
        #expect(lines.contains("calls_total 1"))
        #expect(lines.contains("ostiary_dropped_series_total 3"))
        #expect(!metrics.text.contains("wait") && !metrics.text.contains("who"))
    }

    @Test("The endpoint responds with the text format")
    func endpoint() async {
        let standing = StandingMetrics(keys: [], cache: VerifiedTokenCache(), factory: metrics)
        let response = await PrometheusEndpoint(metrics: metrics, standing: standing).respond(to: ServerRequest())
        #expect(response.fields[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.contains("ostiary_token_cache_entries 0.0\n"))
    }

    // MARK: The page

    private enum Kind { case counter, gauge, time }

    /// The metrics of the service and of Hummingbird: kind, label, and the names of the dimensions.
    private static let recorded: [(kind: Kind, label: String, dimensions: [String])] = [
        (.counter, "hb.requests", ["http.route", "http.request.method", "http.response.status_code"]),
        (.counter, "hb.request.errors", ["http.route", "http.request.method", "error.type"]),
        (.time, "http.server.request.duration", ["http.route"]),
        (.gauge, "http.server.active_requests", ["http.request.method"]),
        (.counter, "ostiary_refusals", ["path", "reason"]),
        (.counter, "ostiary_authorizations", ["outcome"]), (.time, "ostiary_authorization", []),
        (.counter, "ostiary_sessions_begun", []), (.time, "ostiary_issuer", ["host", "purpose", "outcome"]),
        (.counter, "ostiary_session_refreshes", ["outcome"]), (.counter, "ostiary_sessions_not_renewable", []),
        (.counter, "ostiary_sessions_without_user_info", []), (.counter, "ostiary_sessions_not_revoked", []),
        (.counter, "ostiary_session_revocations_delayed", []),
        (.counter, "ostiary_store_failures", ["failure"]), (.time, "ostiary_store", ["operation", "outcome"]),
        (.gauge, "ostiary_keys_age_seconds", ["issuer"]),
        (.counter, "ostiary_token_cache", ["outcome"]), (.gauge, "ostiary_token_cache_entries", []),
        (.gauge, "ostiary_token_cache_bytes", []), (.gauge, "ostiary_store_connections_used", []),
        (.gauge, "ostiary_store_connections_waiting", []), (.gauge, "ostiary_store_connections_maximum", []),
        (.counter, "ostiary_log_lines_dropped", []),
    ]

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../..").standardizedFileURL

    @Test("The table of docs/operations.md has every metric and no other")
    func page() throws {
        for (kind, label, dimensions) in Self.recorded {
            let values = dimensions.map { ($0, "value") }
            switch kind {
            case .counter: metrics.makeCounter(label: label, dimensions: values).increment(by: 1)
            case .gauge: metrics.makeMeter(label: label, dimensions: values).set(Int64(1))
            case .time: metrics.makeTimer(label: label, dimensions: values).recordNanoseconds(1)
            }
        }
        let written = lines.filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
        let page = try String(contentsOf: Self.root.appending(path: "docs/operations.md"), encoding: .utf8)
        let table = try #require(page.split(separator: "## Metrics").last?.split(separator: "## Alerts").first)
        let names = table.matches(of: /`((?:ostiary|hb|http)_[a-z_]+)`/).map { String($0.output.1) }
        #expect(Set(names) == Set(written))
        #expect(names.count == written.count)
    }

    @Test("Every label that the code records is checked against the page")
    func labels() throws {
        var labels: Set<String> = []
        for folder in ["Sources/OstiaryObservability", "Tools/Sources/Backend"] {
            let files = FileManager.default.enumerator(atPath: Self.root.appending(path: folder).path)
            while let file = files?.nextObject() as? String {
                guard file.hasSuffix(".swift") else { continue }
                let source = try String(contentsOf: Self.root.appending(path: "\(folder)/\(file)"), encoding: .utf8)
                labels.formUnion(source.matches(of: /"(ostiary_[a-z_]+)"/).map { String($0.output.1) })
            }
        }
        labels.subtract(["ostiary_dropped_series", "ostiary_dropped_series_total"])
        #expect(labels == Set(Self.recorded.map(\.label).filter { $0.hasPrefix("ostiary_") }))
    }

    @Test("A running service serves its metrics under the names of the page")
    func service() async throws {
        let service = try await ServiceFixture(ServiceFixture.handoff)
        _ = try await service.handOver("{}")
        let (status, text, _) = try await service.get("/metrics")
        #expect(status == 200)
        for name in [
            "# TYPE ostiary_refusals_total counter", #"ostiary_refusals_total{path="/ssafy/verify",reason=""#,
            "# TYPE hb_requests_total counter", "# TYPE http_server_request_duration_seconds histogram",
            "# TYPE http_server_active_requests gauge", "# TYPE ostiary_token_cache_total counter",
            "ostiary_dropped_series_total 0\n",
        ] {
            #expect(text.contains(name), "\(name)")
        }
        await service.running.stop()
    }

    @Test("A sign-in is counted, and its requests to the issuer are timed")
    func signIn() async throws {
        let world = try await SignInWorld()
        _ = try await world.signIn()
        let text = try await ServiceFixture(running: world.services[0]).get("/metrics").1
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("ostiary_sessions_begun_total ") })
        for purpose in ["sign-in", "metadata"] {
            let labels = [#"host="127.0.0.1""#, "purpose=\"\(purpose)\"", #"outcome="ok""#]
            let isTimed = lines.contains { line in
                line.hasPrefix("ostiary_issuer_seconds_count{") && labels.allSatisfy { line.contains($0) }
            }
            #expect(isTimed, "\(purpose)")
        }
        await world.stop()
    }

    @Test("A service on PostgreSQL serves the use of its connections")
    func connections() async throws {
        let world = try await SignInWorld(services: 2)
        let shared = ServiceFixture(running: world.services[0])
        let text = try await shared.get("/metrics").1
        for line in ["ostiary_store_connections_used 0.0\n", "ostiary_store_connections_maximum 10.0\n"] {
            #expect(text.contains(line), "\(line)")
        }
        await world.stop()
    }
}
