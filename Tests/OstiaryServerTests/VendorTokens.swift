import OstiaryJOSE
import OstiaryServer
import Testing

/// The claims of an access token and of an ID token as a vendor's documents show them, at the time of the fixtures.
struct VendorTokens: Sendable, CustomTestStringConvertible {
    let profile: AccessTokenProfile
    let issuer: String
    let audiences: [String]
    var absent = AbsentAudience.refused
    let type: String?
    let access: JSONObject
    let identity: JSONObject

    var testDescription: String { profile.name }

    var policy: AccessTokenPolicy { try! policy() }

    func policy(scopes: [Scope] = []) throws(SignInError) -> AccessTokenPolicy {
        try AccessTokenPolicy(
            issuers: [Issuer(issuer)],
            audiences: audiences,
            withoutAudience: absent,
            profile: profile,
            requiredScopes: scopes
        )
    }

    /// An access token that is valid but for the changes.
    func token(type: String?? = .none, _ change: (inout JSONObject) -> Void = { _ in }) -> String {
        sign(access, type ?? self.type, change)
    }

    /// An ID token of the same issuer, for whatever the test says.
    func idToken(type: String?? = .none, _ change: (inout JSONObject) -> Void = { _ in }) -> String {
        // Auth0's ID tokens have JWT, and the others' have the type of their access tokens.
        sign(identity, type ?? (self.type == "at+jwt" ? "JWT" : self.type), change)
    }

    private func sign(_ claims: JSONObject, _ type: String?, _ change: (inout JSONObject) -> Void) -> String {
        var claims = claims
        claims["iss"] = .string(issuer)
        claims["iat"] = .integer(Fixtures.time)
        claims["exp"] = .integer(Fixtures.time + 300)
        change(&claims)
        return try! Fixtures.key.sign(claims: claims, type: type)
    }
}

extension VendorTokens {
    static let tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee"

    static let all = [keycloak, entra, okta, auth0, cognito, spring]

    /// Keycloak 26.7.3, as recorded (Tests/Replays/Recordings/keycloak/auth-time.jsonl), with an audience for the API.
    static let keycloak = VendorTokens(
        profile: .keycloak,
        issuer: "https://id.example.com/realms/contact",
        audiences: ["https://api.example.com"],
        type: "JWT",
        access: [
            "auth_time": .integer(Fixtures.time), "jti": "onrtac:8a9c641b",
            "aud": ["https://api.example.com", "account"],
            "sub": "846260d7", "typ": "Bearer", "azp": "native", "sid": "J4aXNRcH", "acr": "1",
            "realm_access": ["roles": ["offline_access", "uma_authorization"]],
            "resource_access": ["account": ["roles": ["manage-account", "view-profile"]]],
            "scope": "openid profile email", "groups": ["/staff"],
        ],
        identity: [
            "auth_time": .integer(Fixtures.time), "jti": "bddedd7f", "aud": "native", "sub": "846260d7", "typ": "ID",
            "azp": "native", "sid": "J4aXNRcH", "acr": "1", "email": "alice@example.com",
        ]
    )

    /// https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference and id-token-claims-reference.
    static let entra = VendorTokens(
        profile: try! .entra(tenant: tenant),
        issuer: "https://login.microsoftonline.com/\(tenant)/v2.0",
        audiences: ["6e74172b-be56-4843-9ff4-e66a39bb12e3", "api://6e74172b-be56-4843-9ff4-e66a39bb12e3"],
        type: "JWT",
        access: [
            "aud": "6e74172b-be56-4843-9ff4-e66a39bb12e3", "nbf": .integer(Fixtures.time),
            "azp": "00001111-aaaa-2222-bbbb-3333cccc4444", "azpacr": "0", "name": "Alice",
            "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474", "scp": "access_as_user orders.read",
            "sub": "HKZpfaHyWadeOouYlitjrI-KffTm222X5rrV3xDqfKQ", "tid": .string(tenant), "ver": "2.0",
            "uti": "fqiBqXLPj0eQa82S-IYFAA", "roles": ["Orders.Admin"], "groups": ["0760b6cf"],
        ],
        identity: [
            "aud": "6cb04018-a3f5-46a7-b995-940c78f5aef3", "nbf": .integer(Fixtures.time), "name": "Alice",
            "oid": "690222be-ff1a-4d56-abd1-7e4f7d38e474", "sub": "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
            "tid": .string(tenant), "ver": "2.0", "roles": ["Orders.Admin"], "groups": ["0760b6cf"],
            "azp": "00001111-aaaa-2222-bbbb-3333cccc4444",
        ]
    )

    /// https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/ (access token, ID token).
    static let okta = VendorTokens(
        profile: .okta,
        issuer: "https://example.okta.com/oauth2/default",
        audiences: ["https://api.example.com"],
        type: nil,
        access: [
            "ver": 1, "jti": "AT.0mP4JKAZX1iACIT4vbEDF7LpvDVjxypPMf0D7uX39RE", "aud": "https://api.example.com",
            "sub": "00ujmkLgagxeRrAg20g3", "cid": "nmdP1fcyvdVO11AL7ECm", "uid": "00ujmkLgagxeRrAg20g3",
            "scp": ["openid", "email", "flights", "custom"], "groups": ["Everyone"],
        ],
        identity: [
            "ver": 1, "sub": "00uid4BxXw6I6TV4m0g3", "aud": "uAaunofWkaDJxukCFeBx",
            "jti": "ID.4eAWJOCMB3SX8XewDfVR", "auth_time": .integer(Fixtures.time), "amr": ["pwd"],
            "groups": ["Everyone"], "idp": "00ok1u7AsAkrwdZL3z0g3", "email": "alice@example.com",
        ]
    )

    /// https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles (the RFC 9068 profile's sample) and
    /// https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure.
    static let auth0 = VendorTokens(
        profile: .auth0,
        issuer: "https://my-domain.auth0.com/",
        audiences: ["https://example.com/health-api"],
        type: "at+jwt",
        access: [
            "sub": "auth0|123456", "aud": ["https://example.com/health-api", "https://my-domain.auth0.com/userinfo"],
            "client_id": "my_client_id", "jti": "73WakrfVbNJBaAmhQtEeDv",
            "scope": "openid profile read:patients read:admin",
        ],
        identity: [
            "sub": "auth0|123456", "aud": "my_client_id", "name": "Jane Doe", "sid": "s",
            "email": "janedoe@example.com",
        ]
    )

    /// https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html and
    /// amazon-cognito-user-pools-using-the-id-token.html.
    static let cognito = VendorTokens(
        profile: .cognito,
        issuer: "https://cognito-idp.us-west-2.amazonaws.com/us-west-2_example",
        audiences: ["https://api.example.com"],
        absent: .clients(["xxxxxxxxxxxxexample"]),
        type: nil,
        access: [
            "sub": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "cognito:groups": ["testgroup"], "version": 2,
            "client_id": "xxxxxxxxxxxxexample", "origin_jti": "o", "event_id": "e", "token_use": "access",
            "scope": "phone openid profile resourceserver.1/appclient2 email", "auth_time": .integer(Fixtures.time),
            "jti": "j", "username": "my-test-user",
        ],
        identity: [
            "sub": "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", "cognito:groups": ["testgroup"],
            "aud": "xxxxxxxxxxxxexample", "email_verified": true, "cognito:username": "my-test-user", "origin_jti": "o",
            "event_id": "e", "token_use": "id", "auth_time": .integer(Fixtures.time), "jti": "j",
        ]
    )

    /// Spring Authorization Server 1.5.3, as recorded (Tests/Replays/Recordings/spring/auth-time.jsonl).
    static let spring = VendorTokens(
        profile: .spring,
        issuer: "https://id.example.com",
        audiences: ["web"],
        type: nil,
        access: [
            "sub": "alice", "aud": "web", "nbf": .integer(Fixtures.time), "scope": ["openid", "profile", "email"],
            "jti": "35312763",
        ],
        identity: [
            "sub": "alice", "aud": "web", "azp": "web", "auth_time": .integer(Fixtures.time), "jti": "2b6fe5e6",
            "sid": "3TNDCE4",
        ]
    )
}
