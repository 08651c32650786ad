import IssuerDoctor
import OstiaryJOSE
import OstiaryOAuth
import Testing

/// A change of a good issuer that breaks exactly one rule.
struct IssuerCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let what: String
    let profiles: Set<IssuerProfile>
    let grade: IssuerFinding.Grade
    let change: @Sendable (inout GoodIssuer) -> Void

    var testDescription: String { "\(rule): \(what)" }

    init(
        _ rule: String,
        _ what: String,
        _ grade: IssuerFinding.Grade,
        _ profiles: Set<IssuerProfile> = [],
        _ change: @escaping @Sendable (inout GoodIssuer) -> Void
    ) {
        self.rule = rule
        self.what = what
        self.grade = grade
        self.profiles = profiles
        self.change = change
    }

    static let all: [IssuerCase] = transport + metadata + endpoints + keys + requests + clients + others

    static let transport: [IssuerCase] = [
        IssuerCase("issuer-https", "http on this machine", .note) { issuer in
            issuer.issuer = "http://127.0.0.1:4455"
            issuer.metadata["issuer"] = "http://127.0.0.1:4455"
        },
        IssuerCase("metadata-redirect", "a redirect that the transport refuses", .error) {
            $0.unreadable { $0.failure = .redirectRefused }
        },
        IssuerCase("metadata-redirect", "status 302", .error) { $0.unreadable { $0.status = 302 } },
        IssuerCase("metadata-found", "status 404 at both URLs", .error) { $0.unreadable { $0.status = 404 } },
        IssuerCase("metadata-media-type", "text/html", .error) {
            $0.unreadable { $0.set("Content-Type", "text/html; charset=utf-8") }
        },
        IssuerCase("metadata-cache", "no-store", .note) { $0.openIDConnect.set("Cache-Control", "no-store") },
        IssuerCase("keys-cache", "no-store", .note) { $0.keySet.set("Cache-Control", "private, no-store") },
        IssuerCase("keys-cache", "a year", .note) { $0.keySet.set("Cache-Control", "max-age=31536000") },
        IssuerCase("strict-transport", "no field", .note) {
            $0.openIDConnect.set("Strict-Transport-Security", nil)
        },
    ]

    static let metadata: [IssuerCase] = [
        IssuerCase("metadata-form", "a repeated member", .error) {
            $0.unreadable { $0.body = #"{"issuer":"https://id.example.com/tenant","issuer":"https://other.example"}"# }
        },
        IssuerCase("metadata-form", "an array", .error) { $0.unreadable { $0.body = "[]" } },
        IssuerCase("issuer-match", "a slash at the end", .error) {
            $0.metadata["issuer"] = "https://id.example.com/tenant/"
        },
        IssuerCase("issuer-match", "no issuer", .error) { $0.metadata["issuer"] = nil },
        IssuerCase("metadata-types", "a text where a list belongs", .error) {
            $0.metadata["claims_supported"] = "sub email"
        },
        IssuerCase("metadata-types", "a switch in quotes", .error) {
            $0.metadata["claims_parameter_supported"] = "true"
        },
        IssuerCase("metadata-types", "an endpoint that is a number", .error) { $0.metadata["token_endpoint"] = 1 },
        IssuerCase("metadata-required", "no token endpoint", .error) { $0.metadata["token_endpoint"] = nil },
        IssuerCase("metadata-required", "no jwks_uri", .error) { $0.metadata["jwks_uri"] = nil },
        IssuerCase("metadata-required", "no token endpoint in one of two documents", .error) {
            $0.oauth = GoodIssuer.Response()
            $0.oauthMetadata["token_endpoint"] = nil
        },
        IssuerCase("metadata-lists", "no response types in one of two documents", .warning) {
            $0.oauth = GoodIssuer.Response()
            $0.oauthMetadata["response_types_supported"] = nil
        },
        IssuerCase("metadata-lists", "no subject types", .warning) { $0.metadata["subject_types_supported"] = nil },
        IssuerCase("documents-agree", "another token endpoint", .warning) {
            $0.oauth = GoodIssuer.Response()
            $0.oauthMetadata["token_endpoint"] = "https://id.example.com/token2"
        },
        IssuerCase("scope-openid", "scopes without openid", .warning) { $0.metadata["scopes_supported"] = ["email"] },
        IssuerCase("algorithm-rs256", "ES256 alone", .note) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["ES256"]
        },
        IssuerCase("grants-agree", "code without its grant", .warning) {
            $0.metadata["grant_types_supported"] = ["refresh_token"]
        },
        IssuerCase("grants-agree", "a device endpoint without its grant", .warning) {
            $0.metadata["device_authorization_endpoint"] = "https://id.example.com/device"
        },
        IssuerCase("grants-agree", "the device grant without its endpoint", .warning) {
            $0.metadata["grant_types_supported"] = [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
            ]
        },
        IssuerCase("grants-agree", "pushing required without an endpoint", .warning) {
            $0.metadata["pushed_authorization_request_endpoint"] = nil
        },
    ]

    static let endpoints: [IssuerCase] = [
        IssuerCase("endpoints-form", "a fragment", .error) {
            $0.metadata["authorization_endpoint"] = "https://id.example.com/authorize#top"
        },
        IssuerCase("endpoints-form", "a path alone", .error) { $0.metadata["token_endpoint"] = "/token" },
        IssuerCase("endpoints-https", "http", .error) { $0.metadata["token_endpoint"] = "http://id.example.com/token" },
        IssuerCase("endpoints-local", "localhost", .error) {
            $0.metadata["token_endpoint"] = "https://localhost/token"
        },
    ]

    static let keys: [IssuerCase] = [
        IssuerCase("keys-found", "status 404", .error) { $0.keySet.status = 404 },
        IssuerCase("keys-found", "no response", .error) { $0.keySet.failure = .timedOut },
        IssuerCase("keys-media-type", "a page", .warning) { $0.keySet.set("Content-Type", "text/html") },
        IssuerCase("keys-form", "no array of keys", .error) { $0.keySet.body = "{}" },
        IssuerCase("keys-private", "d", .error) { issuer in
            var key = issuer.keys[0]
            key["kid"] = "e2"
            key["d"] = "AAAA"
            issuer.keys.append(key)
        },
        IssuerCase("keys-symmetric", "oct", .error) {
            $0.keys.append(["kty": "oct", "kid": "o1", "use": "sig", "alg": "HS256", "k": "AAAA"])
        },
        IssuerCase("keys-weak", "1024 bits", .error) {
            $0.keys.append(.rsa(Base64URL.encode([0xC1] + [UInt8](repeating: 0x55, count: 127))))
        },
        IssuerCase("keys-weak", "ROCA", .error) { $0.keys.append(.rsa(IssuerCase.factorable)) },
        IssuerCase("keys-malformed", "no x", .error) { issuer in
            var key = issuer.keys[0]
            key["kid"] = "e2"
            key["x"] = nil
            issuer.keys.append(key)
        },
        IssuerCase("keys-malformed", "a point off the curve", .error) { issuer in
            var key = issuer.keys[0]
            key["kid"] = "e2"
            key["x"] = key["y"]
            issuer.keys.append(key)
        },
        IssuerCase("keys-usable", "none", .error) { $0.keys = [] },
        IssuerCase("keys-duplicate-kid", "two keys of one type and name", .warning) { $0.keys.append($0.keys[0]) },
        IssuerCase("keys-kid", "a key without one", .warning) { $0.keys[1]["kid"] = nil },
        IssuerCase("keys-use", "a key without one beside an encryption key", .warning) { issuer in
            issuer.keys[0]["use"] = nil
            issuer.keys.append([
                "kty": "RSA", "kid": "enc", "use": "enc", "alg": "RSA-OAEP-256", "n": issuer.keys[1]["n"] ?? .null,
                "e": "AQAB",
            ])
        },
        IssuerCase("keys-alg", "a key without one", .note) { $0.keys[0]["alg"] = nil },
        IssuerCase("keys-for-algorithms", "PS512 without a key", .note) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["ES256", "RS256", "PS512"]
        },
    ]

    static let requests: [IssuerCase] = [
        IssuerCase("pkce", "no list", .warning) { $0.metadata["code_challenge_methods_supported"] = nil },
        IssuerCase("pkce", "no list", .error, [.oauth21]) { $0.metadata["code_challenge_methods_supported"] = nil },
        IssuerCase("pkce", "no list", .error, [.rfc9700]) { $0.metadata["code_challenge_methods_supported"] = nil },
        IssuerCase("pkce", "an empty list", .error, [.fapi2]) { $0.metadata["code_challenge_methods_supported"] = [] },
        IssuerCase("pkce", "no list", .error, [.native]) { $0.metadata["code_challenge_methods_supported"] = nil },
        IssuerCase("pkce-plain", "plain beside S256", .note) {
            $0.metadata["code_challenge_methods_supported"] = ["S256", "plain"]
        },
        IssuerCase("pkce-plain", "plain beside S256", .warning, [.fapi2]) {
            $0.metadata["code_challenge_methods_supported"] = ["S256", "plain"]
        },
        IssuerCase("response-code", "id_token alone", .error) {
            $0.metadata["response_types_supported"] = ["id_token"]
        },
        IssuerCase("implicit", "code token", .note) {
            $0.metadata["response_types_supported"] = ["code", "code token"]
        },
        IssuerCase("implicit", "the grant", .warning, [.rfc9700]) {
            $0.metadata["grant_types_supported"] = ["authorization_code", "refresh_token", "implicit"]
        },
        IssuerCase("implicit", "token", .error, [.oauth21]) {
            $0.metadata["response_types_supported"] = ["code", "token"]
        },
        IssuerCase("iss-parameter", "not announced", .note) {
            $0.metadata["authorization_response_iss_parameter_supported"] = nil
        },
        IssuerCase("iss-parameter", "not announced", .error, [.fapi2]) {
            $0.metadata["authorization_response_iss_parameter_supported"] = false
        },
        IssuerCase("par", "no endpoint", .note) { issuer in
            issuer.metadata["pushed_authorization_request_endpoint"] = nil
            issuer.metadata["require_pushed_authorization_requests"] = nil
        },
        IssuerCase("par", "no endpoint", .error, [.fapi2]) { issuer in
            issuer.metadata["pushed_authorization_request_endpoint"] = nil
            issuer.metadata["require_pushed_authorization_requests"] = nil
        },
        IssuerCase("par-required", "optional", .warning, [.fapi2]) {
            $0.metadata["require_pushed_authorization_requests"] = nil
        },
    ]

    static let clients: [IssuerCase] = [
        IssuerCase("auth-none", "keys alone", .warning, [.native]) {
            $0.metadata["token_endpoint_auth_methods_supported"] = ["private_key_jwt"]
        },
        IssuerCase("auth-asymmetric", "secrets alone", .note) {
            $0.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
        },
        IssuerCase("auth-asymmetric", "the default", .error, [.fapi2]) {
            $0.metadata["token_endpoint_auth_methods_supported"] = nil
        },
        IssuerCase("auth-algorithms", "private_key_jwt without algorithms", .warning) {
            $0.metadata["token_endpoint_auth_signing_alg_values_supported"] = nil
        },
        IssuerCase("auth-algorithm-none", "none", .error) {
            $0.metadata["token_endpoint_auth_signing_alg_values_supported"] = ["ES256", "none"]
        },
        IssuerCase("sender-constraint", "neither", .note) { $0.metadata["dpop_signing_alg_values_supported"] = nil },
        IssuerCase("sender-constraint", "neither", .warning, [.rfc9700]) {
            $0.metadata["dpop_signing_alg_values_supported"] = nil
        },
        IssuerCase("sender-constraint", "neither", .error, [.fapi2]) {
            $0.metadata["dpop_signing_alg_values_supported"] = nil
        },
        IssuerCase("dpop-algorithms", "none", .error) {
            $0.metadata["dpop_signing_alg_values_supported"] = ["ES256", "none"]
        },
        IssuerCase("dpop-algorithms", "HS256", .error) {
            $0.metadata["dpop_signing_alg_values_supported"] = ["ES256", "HS256"]
        },
        IssuerCase("id-token-none", "none", .warning) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["ES256", "RS256", "none"]
        },
        IssuerCase("id-token-symmetric", "HS256", .note) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["ES256", "RS256", "HS256"]
        },
        IssuerCase("id-token-symmetric", "HS256", .warning, [.native]) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["ES256", "RS256", "HS256"]
        },
        IssuerCase("fapi-algorithms", "RS256 alone", .error, [.fapi2]) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["RS256"]
        },
    ]

    static let others: [IssuerCase] = [
        IssuerCase("grant-password", "the grant", .warning) {
            $0.metadata["grant_types_supported"] = ["authorization_code", "refresh_token", "password"]
        },
        IssuerCase("grant-password", "the grant", .error, [.rfc9700]) {
            $0.metadata["grant_types_supported"] = ["authorization_code", "refresh_token", "password"]
        },
        IssuerCase("grant-refresh", "no grant", .note) {
            $0.metadata["grant_types_supported"] = ["authorization_code"]
        },
        IssuerCase("grant-refresh", "no grant", .warning, [.native]) {
            $0.metadata["grant_types_supported"] = ["authorization_code"]
        },
        IssuerCase("revocation", "no endpoint", .note) { $0.metadata["revocation_endpoint"] = nil },
        IssuerCase("introspection", "no endpoint", .note) { $0.metadata["introspection_endpoint"] = nil },
        IssuerCase("logout", "no endpoint", .note) { $0.metadata["end_session_endpoint"] = nil },
    ]

    /// A modulus of 2048 bits that is a power of 65537 modulo the product of the first 126 primes.
    private static let factorable = """
        gAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAXhJ\
        zIShcobBMqIazkJIBKylEQYYHDz3ar-haUYXT-M62BjDGF_lSITCLCyzJ0ANrBeRNq96NeQUqdAeBfo-oVyra80_jr\
        vDlMAJcX_fSW5VbQGjISwNGV9_ozLrT8tBp30rVWf64kzZIu12qsB50FS2PX0tKYg_b-akGQ
        """
}

extension GoodIssuer {
    /// Makes the only document, and with it the key set, unavailable.
    fileprivate mutating func unreadable(_ change: (inout Response) -> Void) {
        change(&openIDConnect)
        oauth = openIDConnect
    }
}

extension JSONObject {
    fileprivate static func rsa(_ modulus: String) -> JSONObject {
        ["kty": "RSA", "kid": "r2", "use": "sig", "alg": "RS256", "n": .string(modulus), "e": "AQAB"]
    }
}
