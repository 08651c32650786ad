import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility

/// A web site as a function from request to response, which remembers what it was asked.
final class WebSite: HTTPTransport {
    private let respond: @Sendable (EndpointRequest) -> EndpointResponse
    private let received = Lock<[EndpointRequest]>([])

    init(_ respond: @escaping @Sendable (EndpointRequest) -> EndpointResponse) { self.respond = respond }

    /// A site whose paths are given one by one; any other is 404.
    convenience init(_ pages: [String: EndpointResponse]) {
        self.init { pages[$0.url.path()] ?? EndpointResponse(status: .notFound) }
    }

    var requests: [EndpointRequest] { received.withLock { $0 } }
    var paths: [String] { requests.map { $0.url.path() } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        received.withLock { $0.append(request) }
        return respond(request)
    }

    /// Opens its first page.
    func open(
        _ path: String = "/authorize?response_type=code",
        redirectURI: String = "com.example.app:/callback",
        credentials: HTTPUserAgent.Credentials? = .init(name: "alice", password: Secret("correct & horse")),
        answer: HTTPUserAgent.Answer = .approve,
        now: Date = Date(timeIntervalSince1970: 1_800_000_000)
    ) async throws(SignInError) -> String {
        let userAgent = HTTPUserAgent(
            transport: self,
            credentials: credentials,
            answer: answer,
            clock: DeviceClock(now: { now })
        )
        return try await userAgent.open(path, redirectURI: redirectURI)
    }
}

extension HTTPUserAgent {
    func open(
        _ path: String = "/authorize?response_type=code",
        redirectURI: String = "com.example.app:/callback"
    ) async throws(SignInError) -> String {
        let attempt = try await attempt(awaiting: RedirectURI(redirectURI))
        return try await attempt.open(URL(string: "https://id.example.com\(path)")!, accepting: .any).absoluteString
    }
}

extension EndpointResponse {
    static let answer = EndpointResponse.redirect("com.example.app:/callback?code=c&state=s")

    static func redirect(_ location: String, _ status: HTTPResponse.Status = .found, cookies: [String] = []) -> Self {
        var fields: HTTPFields = [.location: location]
        fields[values: .setCookie] = cookies
        return EndpointResponse(status: status, fields: fields)
    }

    static func page(_ html: String, _ status: HTTPResponse.Status = .ok, cookies: [String] = []) -> Self {
        var fields: HTTPFields = [.contentType: "text/html; charset=utf-8"]
        fields[values: .setCookie] = cookies
        return EndpointResponse(status: status, fields: fields, body: Array(html.utf8))
    }
}
