import Foundation
import HTTPTypes
import IssuerDoctor
import OstiaryJOSE
import OstiaryOAuth

/// An issuer that keeps every rule of every profile, to be changed in one respect.
struct GoodIssuer {
    static let issuer = "https://id.example.com/tenant"

    var issuer = Self.issuer
    var openIDConnect = Response()
    var oauth = Response(status: 404)
    var keySet = Response()
    /// The members of the document; both documents start with them.
    var metadata = Self.metadata
    /// The OAuth document, where it is served.
    var oauthMetadata = Self.metadata
    var keys: [JSONObject] = Self.keys

    /// A response; without a body of its own it carries the document.
    struct Response {
        var status = 200
        var fields: [(String, String)] = [
            ("Content-Type", "application/json"), ("Cache-Control", "public, max-age=3600"),
            ("Strict-Transport-Security", "max-age=31536000"),
        ]
        var body: String?
        var failure: TransportFailure?

        mutating func set(_ name: String, _ value: String?) {
            fields.removeAll { $0.0 == name }
            if let value { fields.append((name, value)) }
        }

        func answer(_ document: JSONObject) -> IssuerAnswers.Answer {
            if let failure { return .failure(failure) }
            var all = HTTPFields()
            for (name, value) in fields { HTTPField.Name(name).map { all[$0] = value } }
            return .success(
                EndpointResponse(
                    status: .init(code: status),
                    fields: all,
                    body: body.map { Array($0.utf8) } ?? document.encoded()
                )
            )
        }
    }

    func report(against profiles: Set<IssuerProfile> = []) throws -> IssuerReport {
        let base = "https://id.example.com"
        let answers = IssuerAnswers(
            try Issuer(issuer),
            [
                .init(
                    .openIDConnect,
                    at: base + "/tenant/.well-known/openid-configuration",
                    openIDConnect.answer(metadata)
                ),
                .init(.oauth, at: base + "/.well-known/oauth-authorization-server/tenant", oauth.answer(oauthMetadata)),
            ],
            keySet: keySet.answer(["keys": .array(keys.map { .object($0) })])
        )
        return IssuerReport(on: answers, against: profiles)
    }

    static let metadata: JSONObject = [
        "issuer": .string(issuer),
        "authorization_endpoint": "https://id.example.com/authorize",
        "token_endpoint": "https://id.example.com/token",
        "jwks_uri": "https://id.example.com/jwks",
        "userinfo_endpoint": "https://id.example.com/userinfo",
        "revocation_endpoint": "https://id.example.com/revoke",
        "introspection_endpoint": "https://id.example.com/introspect",
        "end_session_endpoint": "https://id.example.com/logout",
        "pushed_authorization_request_endpoint": "https://id.example.com/par",
        "require_pushed_authorization_requests": true,
        "authorization_response_iss_parameter_supported": true,
        "scopes_supported": ["openid", "email"],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256", "RS256"],
        "token_endpoint_auth_methods_supported": ["none", "private_key_jwt"],
        "token_endpoint_auth_signing_alg_values_supported": ["ES256"],
        "dpop_signing_alg_values_supported": ["ES256"],
        "code_challenge_methods_supported": ["S256"],
    ]

    static let keys: [JSONObject] = {
        guard let elliptic = try? SigningKey.generate(.es256).publicKey.jsonObject,
            let rsa = try? SigningKey.generate(.rs256).publicKey.jsonObject
        else { return [] }
        return [named(elliptic, "e1", "ES256"), named(rsa, "r1", "RS256")]
    }()

    private static func named(_ key: JSONObject, _ keyID: String, _ algorithm: String) -> JSONObject {
        var key = key
        key["kid"] = .string(keyID)
        key["alg"] = .string(algorithm)
        key["use"] = "sig"
        return key
    }
}
