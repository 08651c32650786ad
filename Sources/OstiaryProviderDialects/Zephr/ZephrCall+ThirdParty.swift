import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider

extension ZephrCall {
    /// A third party's token request: JSON where OAuth has a form.
    func thirdPartyToken() async throws -> ProviderResponse {
        guard request.method == .post else {
            return ProviderResponse(status: .methodNotAllowed, fields: [.allow: "POST", .cacheControl: "no-store"])
        }
        guard let json else {
            throw Refusal.json(.invalidRequest, "A token request is a JSON object here.")
        }
        var form = Parameters()
        for (name, value) in json.members {
            guard let text = value.string else { throw Refusal.json(.invalidRequest, "A member is not a string.") }
            form.append(text, for: Parameters.Name(rawValue: name))
        }
        var inner = request
        inner.fields[.contentType] = "application/x-www-form-urlencoded"
        inner.body = Array(FormURLEncoding.encode(form).utf8)
        var response = try await provider.usualAnswer(to: inner)
        guard case .bytes(let bytes) = response.content, var object = try? JSONObject(parsing: bytes) else {
            return response
        }
        object["token_type"] = object["token_type"].map { _ in "bearer" }
        object["scope"] = object["scope"]?.string.map { text in
            .string(Scope.list(text).filter { $0 != .offlineAccess }.text)
        }
        if let token = object["access_token"]?.string,
            let subject = try await provider.activeAccessToken(token)?.grant.subject
        {
            object["user_id"] = .string(subject)
        }
        response.content = .bytes(object.encoded())
        return response
    }
}
