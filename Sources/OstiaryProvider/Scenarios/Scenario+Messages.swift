import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// Faults of everything but the ID token.
extension Scenario {
    /// The metadata names another issuer.
    public static let issuerMismatch = Scenario(name: "oidcc-client-test-discovery-issuer-mismatch") {
        $0.metadata = { $0["issuer"] = .string(($0["issuer"]?.string ?? "") + "INVALID") }
    }
    /// The metadata does not say that redirects carry `iss`, though they do.
    public static let unannouncedIssuer = Scenario(name: "unannounced-iss") {
        $0.metadata = { $0["authorization_response_iss_parameter_supported"] = nil }
    }
    /// The redirect lacks `iss`, which the metadata promises.
    public static let missingResponseIssuer = redirect("authorization-response-missing-iss") { $0[.issuer] = nil }
    /// The redirect has another `iss`.
    public static let invalidResponseIssuer = redirect("authorization-response-invalid-iss") {
        $0[.issuer] = ($0[.issuer] ?? "") + "1"
    }
    /// The redirect lacks `state`.
    public static let missingState = redirect("authorization-response-missing-state") { $0[.state] = nil }
    /// The redirect has another `state`.
    public static let invalidState = redirect("authorization-response-invalid-state") {
        $0[.state] = ($0[.state] ?? "") + "1"
    }
    /// The redirect has `state` twice.
    public static let repeatedState = redirect("authorization-response-repeated-state") { parameters in
        if let state = parameters[.state] { parameters.append(state, for: .state) }
    }
    /// The redirect has `code` twice, and the second is another one.
    public static let repeatedCode = redirect("authorization-response-repeated-code") { parameters in
        if let code = parameters[.code] { parameters.append(code + "1", for: .code) }
    }
    /// The redirect has neither a code nor an error.
    public static let missingCode = redirect("authorization-response-missing-code") { $0[.code] = nil }

    /// The token response has no `token_type`.
    public static let missingTokenType = tokens("missing-token-type") { $0["token_type"] = nil }
    /// The token response has a `token_type` other than the requested one.
    public static let otherTokenType = tokens("other-token-type") { $0["token_type"] = "N_A" }
    /// `token_type` in another case: to be accepted (RFC 6749 section 5.1).
    public static let tokenTypeCase = tokens("token-type-case") { $0["token_type"] = "bEaReR" }
    /// The token response has no `access_token`.
    public static let missingAccessToken = tokens("missing-access-token") { $0["access_token"] = nil }
    /// The token response has no `id_token`, though `openid` was granted.
    public static let missingIDToken = tokens("missing-id-token") { $0["id_token"] = nil }
    /// The token response has no `scope`: the requested scope is granted (RFC 6749 section 5.1).
    public static let missingScope = tokens("missing-scope") { $0["scope"] = nil }
    /// The token response has no `expires_in`: to be accepted.
    public static let missingLifetime = tokens("missing-expires-in") { $0["expires_in"] = nil }
    /// `expires_in` is a string, as some servers send it.
    public static let textualLifetime = Scenario(name: "textual-expires-in") { $0.manners = { $0.expiresIn = .text } }
    /// Unknown members: to be ignored.
    public static let unknownMembers = tokens("unknown-members") {
        $0["not_before_policy"] = 0
        $0["x_extra"] = ["deep": ["deeper": [1, 2, 3]]]
    }
    /// A refresh returns the access token alone, and the old refresh token stays valid.
    public static let noRotation = Scenario(name: "no-rotation") { $0.manners = { $0.refreshTokens = .kept } }
    /// A refresh returns no ID token: to be accepted (OpenID Connect Core section 12.2).
    public static let refreshWithoutIDToken = Scenario(name: "refresh-without-id-token") {
        $0.manners = { $0.idTokenAtRefresh = .absent }
    }

    /// The UserInfo response is about another user.
    public static let userInfoInvalidSubject = Scenario(name: "oidcc-client-test-userinfo-invalid-sub") {
        $0.userInfo = { $0["sub"] = .string(($0["sub"]?.string ?? "") + "invalid") }
    }
    /// The UserInfo response has no subject.
    public static let userInfoMissingSubject = Scenario(name: "userinfo-missing-sub") {
        $0.userInfo = { $0["sub"] = nil }
    }

    /// The token endpoint returns a page.
    public static let htmlInsteadOfJSON = tokenEndpoint("html-instead-of-json") { response in
        response.fields[.contentType] = "text/html; charset=utf-8"
        response.content = .bytes(Array("<!DOCTYPE html><title>Welcome</title>".utf8))
    }
    /// The token endpoint's JSON ends in the middle.
    public static let truncatedJSON = tokenEndpoint("truncated-json") { response in
        guard case .bytes(let bytes) = response.content else { return }
        response.content = .bytes(Array(bytes.prefix(bytes.count / 2)))
    }
    /// The token endpoint's JSON names a member twice.
    public static let repeatedMember = tokenEndpoint("repeated-member") { response in
        guard case .bytes(let bytes) = response.content else { return }
        response.content = .bytes(Array("{\"access_token\":\"other\",".utf8) + bytes.dropFirst())
    }
    /// The token endpoint returns 10 MB.
    public static let hugeBody = tokenEndpoint("huge-body") { response in
        guard case .bytes(let bytes) = response.content else { return }
        response.content = .bytes(bytes + [UInt8](repeating: UInt8(ascii: " "), count: 10_000_000))
    }
    /// The token endpoint sends the client elsewhere, which it must not follow.
    public static let redirectingTokenEndpoint = tokenEndpoint("redirecting-token-endpoint") { response in
        response = ProviderResponse(status: .temporaryRedirect, fields: [.location: "https://other.example/token"])
    }
    /// The token endpoint is busy.
    public static let unavailable = tokenEndpoint("unavailable") { response in
        response = ProviderResponse(status: .serviceUnavailable, fields: [.retryAfter: "1"])
    }
    /// The key set has one more key, of an unknown type: to be ignored.
    public static let unknownKeyType = Scenario(name: "unknown-key-type") {
        $0.keySet = { document in
            let odd: JSONValue = ["kty": "AKP", "kid": "odd", "alg": "ML-DSA-44", "pub": "AA"]
            document["keys"] = .array([odd] + (document["keys"]?.array ?? []))
        }
    }

    private static func redirect(_ name: String, _ change: @escaping @Sendable (inout Parameters) -> Void) -> Scenario {
        Scenario(name: name) { $0.authorizationResponse = change }
    }

    private static func tokens(_ name: String, _ change: @escaping @Sendable (inout JSONObject) -> Void) -> Scenario {
        Scenario(name: name) { $0.tokenResponse = { response, _ in change(&response) } }
    }

    private static func tokenEndpoint(
        _ name: String,
        _ change: @escaping @Sendable (inout ProviderResponse) -> Void
    ) -> Scenario {
        Scenario(name: name) {
            $0.response = { request, response in
                if request.path.hasSuffix(Route.token.rawValue) { change(&response) }
            }
        }
    }
}
