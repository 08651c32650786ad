import HTTPTypes
import OstiaryHummingbird
import OstiaryServer

/// The endpoint at which Prometheus fetches the metrics.
///
/// They say how much a service is used; mount it where Prometheus alone gets.
struct PrometheusEndpoint: ServerEndpoint {
    let metrics: PrometheusMetrics
    let standing: StandingMetrics

    var method: HTTPRequest.Method { .get }
    var maximumBodyBytes: Int { 0 }

    func respond(to request: ServerRequest) async -> ServerResponse {
        standing.record()
        return ServerResponse(
            status: .ok,
            fields: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: Array(metrics.text.utf8)
        )
    }
}
