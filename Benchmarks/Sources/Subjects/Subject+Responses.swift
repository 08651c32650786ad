import Foundation
import HTTPTypes
public import OstiaryJOSE
import OstiaryOAuth

extension Subject {
    /// The way from a token response to the tokens of a session: JSON, signature, and every rule of an ID token.
    public static func tokenResponse(by key: SigningKey) throws -> Subject {
        let issuer = try Issuer("https://id.example.com")
        let server = AuthorizationServer(
            issuer: issuer,
            authorizationEndpoint: URL(string: "https://id.example.com/authorize"),
            tokenEndpoint: URL(string: "https://id.example.com/token"),
            jwksURI: URL(string: "https://id.example.com/jwks")
        )
        let client = try Client(id: "s6BhdRkqt3", redirectURI: RedirectURI("com.example.app:/callback"))
        var random = SystemRandomNumberGenerator()
        let pending = try AuthorizationRequest().prepared(for: client, at: server, using: &random)
        let query = URLComponents(url: pending.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func parameter(_ name: String) -> String { query.first { $0.name == name }?.value ?? "" }
        let redirect = URL(string: "com.example.app:/callback?code=c&state=\(parameter("state"))")
        let exchange = try pending.grant(from: redirect ?? pending.url).exchange()
        let accessToken = "SlAV32hkKG.8xLOxBtZp8.0kKb6UG2pMa"
        let hash = HashAlgorithm.sha256.hash(Array(accessToken.utf8))
        var claims = claims
        claims["nonce"] = .string(parameter("nonce"))
        claims["at_hash"] = .string(Base64URL.encode(Array(hash.prefix(16))))
        let token = try key.sign(claims: claims)
        let body: JSONObject = [
            "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "8xLOxBtZp8.0kKb6UG2pMa.SlAV32hkKG", "scope": "openid profile email offline_access",
            "id_token": .string(token),
        ]
        let response = EndpointResponse(
            fields: [.contentType: "application/json;charset=UTF-8", .cacheControl: "no-store"],
            body: body.encoded()
        )
        let keys = JSONWebKeySet([key.publicKey])
        let now = Date(timeIntervalSince1970: 1_800_000_010)
        return Subject(
            title: "From a token response to its tokens, \(key.algorithm.rawValue)",
            rows: [
                try raw(of: token, by: key),
                Row("ostiary: JSON, signature, every rule") {
                    _ = try exchange.output(from: response).validated(by: keys, now: now)
                },
            ]
        )
    }
}
