import Foundation
import HTTPTypes
import MetricsTestKit
import OstiaryHummingbird
import OstiaryOAuth
import Testing

@Suite("Metrics of requests to issuers")
struct MeasuredTransportTests {
    private struct Network: HTTPTransport {
        let answer: Result<EndpointResponse, TransportFailure>
        func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse { try answer.get() }
    }

    private func request(_ path: String, _ form: [String: String] = [:]) throws -> EndpointRequest {
        var request = EndpointRequest(url: try #require(URL(string: "https://id.example.com\(path)")), method: .post)
        for (name, value) in form { request.form[Parameters.Name(rawValue: name)] = value }
        return request
    }

    @Test("A request to an issuer is timed by host, purpose and outcome, and by nothing that was sent")
    func measured() async throws {
        let rows: [(EndpointRequest, Result<EndpointResponse, TransportFailure>, purpose: String, outcome: String)] = [
            (
                try request("/secret", ["grant_type": "authorization_code", "code": "secret"]),
                .success(EndpointResponse()), "sign-in", "ok"
            ),
            (
                try request("/as", ["grant_type": "refresh_token", "refresh_token": "secret"]),
                .success(EndpointResponse(status: .badRequest)), "refresh", "status_4xx"
            ),
            (
                try request("/as", ["token": "secret", "token_type_hint": "access_token"]),
                .success(EndpointResponse(status: .serviceUnavailable)), "introspection", "status_5xx"
            ),
            (
                try request("/as", ["token": "secret", "token_type_hint": "refresh_token"]), .failure(.unreachable),
                "revocation", "unreachable"
            ),
            (
                try request("/.well-known/openid-configuration?secret"), .success(EndpointResponse()), "metadata", "ok"
            ),
            (try request("/keys"), .failure(.timedOut), "other", "timedOut"),
        ]
        for (request, answer, purpose, outcome) in rows {
            let metrics = TestMetrics()
            let transport = MeasuredTransport(Network(answer: answer), factory: metrics)
            let result: Result<EndpointResponse, TransportFailure>
            do throws(TransportFailure) { result = .success(try await transport.send(request)) } catch {
                result = .failure(error)
            }
            #expect(result.map(\.status) == answer.map(\.status))
            let labels = [("host", "id.example.com"), ("purpose", purpose), ("outcome", outcome)]
            #expect(try metrics.expectTimer("ostiary_issuer", labels).values.count == 1)
        }
    }
}
