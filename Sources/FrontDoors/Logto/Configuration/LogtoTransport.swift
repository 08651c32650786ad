import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Converts Logto's own error bodies into the OAuth errors that they mean.
///
/// Current servers return `error` beside their own `code`; older ones returned `code`, `message` and `data` alone. With
/// the conversion, all errors have the same form (RFC 6749 section 5.2).
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

    /// Returns the body with the members of an OAuth error; `nil` when it has them already, or is not Logto's.
    static func oauthError(_ object: JSONObject) -> JSONObject? {
        guard object["error"]?.string == nil, let code = object["code"]?.string, !code.isEmpty else { return nil }
        var error = JSONObject()
        error["error"] = .string(code.hasPrefix("oidc.") ? String(code.dropFirst("oidc.".count)) : code)
        let detail = object["data"]?.object?["error_description"]?.string
        error["error_description"] = (detail ?? object["message"]?.string).map { .string($0) }
        return error
    }
}
