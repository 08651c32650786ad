import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Reads Logto's own error bodies as the OAuth errors that they stand for.
///
/// Servers today answer `error` beside their own `code`; older ones answered `code`, `message` and `data` alone. What an
/// error is read from is then the same everywhere (RFC 6749 section 5.2).
struct LogtoTransport: HTTPTransport {
    private let transport: any HTTPTransport

    init(_ transport: any HTTPTransport) { self.transport = transport }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        var response = try await transport.send(request)
        guard response.status.code >= 400,
            let object = try? JSONObject(parsing: response.body), let body = Self.oauthError(object)
        else { return response }
        response.body = body.encoded()
        response.fields[.contentType] = "application/json"
        return response
    }

    /// The body with the members of an OAuth error; `nil` when it has them already, or is none of Logto's.
    static func oauthError(_ object: JSONObject) -> JSONObject? {
        guard object["error"]?.string == nil, let code = object["code"]?.string, !code.isEmpty else { return nil }
        var error = JSONObject()
        error["error"] = .string(code.hasPrefix("oidc.") ? String(code.dropFirst("oidc.".count)) : code)
        let detail = object["data"]?.object?["error_description"]?.string
        error["error_description"] = (detail ?? object["message"]?.string).map { .string($0) }
        return error
    }
}
