import OstiaryJOSE

/// The names of parameters, members, claims and header fields whose values a redacted recording keeps, in which form.
enum RedactionNames {
    /// Every name that is on a list.
    static let all = plain.union(objects).union(links).union(tokens).union(fingerprinted)

    /// The names of values that are written unchanged.
    static let plain = requests.union(responses).union(claims).union(clients).union(answers)

    /// The names of objects whose members are kept or left out by their own names; a text under such a name can hold
    /// anything.
    static let objects: Set = ["claims"]

    /// The names of URLs, which lose their secrets.
    static let links: Set = [
        "redirect_uri", "redirect_uris", "post_logout_redirect_uri", "post_logout_redirect_uris", "verification_uri",
        "verification_uri_complete", "registration_client_uri", "error_uri", "url", "endpoint",
    ]

    /// The names of tokens that keep their header and the claims of the protocol.
    static let tokens: Set = ["id_token", "id_token_hint", "logout_token", "idToken"]

    /// The names of unpredictable values, and of the user's identifier: equal values stay equal.
    static let fingerprinted: Set = [
        "code", "code_verifier", "access_token", "refresh_token", "device_code", "client_assertion", "assertion",
        "subject_token", "actor_token", "token", "registration_access_token", "software_statement", "request_uri",
        "session_state", "accessToken", "refreshToken", "sub", "subject",
    ]

    /// Parameters of requests to an authorization server.
    private static let requests: Set = [
        "acr_values", "actor_token_type", "audience", "client_assertion_type", "client_id", "code_challenge",
        "code_challenge_method", "display", "grant_type", "iss", "max_age", "nonce", "prompt", "requested_token_type",
        "resource", "response_mode", "response_type", "scope", "state", "subject_token_type", "token_type_hint",
        "ui_locales", "dpop_jkt", "rel",
    ]

    /// Members of the responses to them.
    private static let responses: Set = [
        "error", "error_description", "expires_in", "refresh_expires_in", "refresh_token_expires_in",
        "issued_token_type", "token_type", "interval", "active", "not-before-policy", "links",
    ]

    /// Claims of the protocol; every other claim is about the user.
    private static let claims: Set = [
        "iss", "aud", "exp", "iat", "nbf", "auth_time", "acr", "amr", "azp", "at_hash", "c_hash", "s_hash", "jti",
        "sid",
        "typ", "cnf", "jkt", "x5t#S256", "events", "http://schemas.openid.net/event/backchannel-logout",
    ]

    /// Metadata of clients (RFC 7591 section 2, OpenID Connect Registration section 2), without the contacts.
    private static let clients: Set = [
        "application_type", "backchannel_logout_session_required", "backchannel_logout_uri", "client_id_issued_at",
        "client_name", "client_secret_expires_at", "client_uri", "default_acr_values", "default_max_age",
        "dpop_bound_access_tokens", "grant_types", "id_token_signed_response_alg", "jwks_uri", "logo_uri", "policy_uri",
        "request_object_signing_alg", "require_auth_time", "require_pushed_authorization_requests", "response_types",
        "sector_identifier_uri", "software_id", "software_version", "subject_type",
        "tls_client_certificate_bound_access_tokens", "token_endpoint_auth_method", "token_endpoint_auth_signing_alg",
        "tos_uri", "userinfo_signed_response_alg",
    ]

    /// Members of the output of `ostiary`.
    private static let answers: Set = [
        "ok", "stage", "reason", "check", "checks", "message", "recovery", "issuer", "tokenType", "expiresAt",
        "refreshable", "notRenewable", "endsAt", "revocation", "revocationError", "revocationPending", "endSession",
        "endSessionError", "sessionEnd", "clientID", "hasSecret", "secretExpiresAt", "manageable", "metadata",
        "registration", "sessions", "signedIn", "unreadable", "clock", "offset", "requests", "method", "status",
        "failure", "outcome",
    ]

    /// Header fields, in lower case.
    static let fields: Set = [
        "accept", "accept-encoding", "accept-language", "access-control-allow-origin", "age", "allow", "cache-control",
        "connection", "content-encoding", "content-length", "content-security-policy", "content-type", "date",
        "dpop-nonce", "etag", "expires", "host", "if-none-match", "keep-alive", "last-modified", "pragma",
        "referrer-policy", "retry-after", "server", "strict-transport-security", "transfer-encoding", "user-agent",
        "vary", "www-authenticate", "x-content-type-options",
    ]

    /// Whether a key set holds public keys alone (RFC 7518 section 6).
    static func isPublic(_ set: JSONValue) -> Bool {
        guard let keys = set.object?["keys"]?.array else { return false }
        let secret: Set = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        return keys.allSatisfy { key in key.object.map { !$0.names.contains(where: secret.contains) } ?? false }
    }
}
