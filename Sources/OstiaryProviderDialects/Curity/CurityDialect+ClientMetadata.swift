import OstiaryCompatibility
public import OstiaryJOSE
import OstiaryOAuth
public import OstiaryProvider

extension CurityDialect {
    /// Checks the members of this server's own, fills in what it adds, and keeps the others as the client's properties.
    public func readClientMetadata(_ sent: inout JSONObject, at provider: Provider) throws -> JSONObject {
        if let name = Self.saidByTheServer.first(where: { sent[$0] != nil }) {
            throw Refusal.metadata("\(name) is not for clients to say.")
        }
        if requestForms == .samples { Self.readTexts(&sent) }
        for name in Self.switches where sent[name] != nil && sent[name]?.bool == nil {
            throw Refusal.metadata("\(name) is not true or false.")
        }
        for name in Self.lifetimes where sent[name] != nil && sent[name]?.integer.map({ $0 >= 0 }) != true {
            throw Refusal.metadata("\(name) is not a number of seconds.")
        }
        for name in Self.lists where sent[name] != nil && !Self.isListOfTexts(sent[name]) {
            throw Refusal.metadata("\(name) is not a list of texts.")
        }
        guard sent["subject_type"] == nil || sent["subject_type"] == "public" else {
            throw Refusal.metadata("The only subject_type is public.")
        }
        var kept = JSONObject()
        for (name, value) in sent.members where !value.isNull && !Self.notKept.contains(name) { kept[name] = value }
        guard kept.count <= Self.maximumProperties else { throw Refusal.metadata("There are too many members.") }
        complete(&sent)
        kept["refresh_token_ttl"] = kept["refresh_token_ttl"] ?? .integer(Int(refreshTokenLifetime.inSeconds))
        kept["requires_consent"] = kept["requires_consent"] ?? false
        return kept
    }

    /// Adds this server's members to the response of RFC 7591 section 3.2.1.
    public func writeRegistration(_ response: inout JSONObject, at provider: Provider) {
        response["registration_access_token_expires_in"] = .integer(Self.registrationTokenLifetime)
        response["application_type"] = response["application_type"] ?? "native"
        response["subject_type"] = "public"
        response["default_acr_values"] = response["default_acr_values"] ?? [.string(Self.passwordContext)]
        if response["response_types"]?.array?.isEmpty == false { response["response_types"] = ["code", "id_token"] }
        if response["client_secret"] != nil {
            response["token_endpoint_auth_methods"] = ["client_secret_basic", "client_secret_post"]
        }
        guard let template = templates.first(where: { .string($0.id) == response["software_id"] }),
            !template.tellsMetadata
        else { return }
        for name in template.metadata.names { response[name] = nil }
    }

    /// Reads texts as the values that AppAuth's additional parameters stand for.
    private static func readTexts(_ sent: inout JSONObject) {
        for name in switches {
            guard let text = sent[name]?.string, ["true", "false"].contains(text) else { continue }
            sent[name] = .bool(text == "true")
        }
        if let uri = sent["post_logout_redirect_uris"], uri.string != nil {
            sent["post_logout_redirect_uris"] = .array([uri])
        }
    }

    /// Adds the defaults of a client's metadata.
    private func complete(_ sent: inout JSONObject) {
        sent["id_token_signed_response_alg"] = sent["id_token_signed_response_alg"] ?? "RS256"
        sent["scope"] = sent["scope"] ?? "openid profile"
        // The registration response lists the ID token as a response type, and an update sends it back.
        if let types = sent["response_types"]?.array {
            sent["response_types"] = .array(types.filter { $0 != "id_token" })
        }
        let grantTypes = sent["grant_types"]?.array ?? ["authorization_code"]
        let hasRefreshTokens = sent["refresh_token_ttl"] != 0 && !grantTypes.contains("refresh_token")
        if grantTypes.contains("authorization_code"), hasRefreshTokens {
            sent["grant_types"] = .array(grantTypes + ["refresh_token"])
        }
    }

    private static func isListOfTexts(_ value: JSONValue?) -> Bool {
        value?.array?.allSatisfy { $0.string != nil } == true
    }

    /// The lifetime of a registration access token, in seconds.
    private static let registrationTokenLifetime = 31_536_000
    private static let maximumProperties = 60
    private static let saidByTheServer = ["client_secret_expires_at", "registration_access_token_expires_in"]
    private static let switches = [
        "requires_consent", "allow_per_request_redirect_uris", "require_proof_key",
        "require_pushed_authorization_requests",
    ]
    private static let lifetimes = [
        "access_token_ttl", "default_max_age", "id_token_ttl", "refresh_token_ttl",
        "refresh_token_max_rolling_lifetime",
    ]
    private static let lists = [
        "allowed_origins", "authenticator_filters", "default_acr_values", "disallowed_proof_key_challenge_methods",
        "request_uris",
    ]
    private static let notKept = [
        "client_id", "client_secret", "client_id_issued_at", "registration_access_token", "registration_client_uri",
        "token_endpoint_auth_methods",
    ]
}
