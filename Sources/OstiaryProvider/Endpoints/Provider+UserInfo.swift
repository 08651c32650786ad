import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The user info endpoint (OpenID Connect Core section 5.3): the token in the `Authorization` field and nowhere else.
    func userInfo(_ request: ProviderRequest) async throws -> ProviderResponse {
        let fields = request.fields[values: .authorization]
        let isElsewhere =
            request.queryParameters?["access_token"] != nil || request.formParameters?["access_token"] != nil
        guard fields.count <= 1, !isElsewhere else {
            // RFC 9700 section 4.3.2: a token in a URL ends in logs and histories.
            throw bearer(.badRequest, .invalidRequest, "The access token belongs in one Authorization field.")
        }
        guard let field = fields.first else { throw Refusal.challenge(Self.bearerRealm, .unauthorized) }
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else {
            throw Refusal.challenge(Self.bearerRealm, .unauthorized)
        }
        guard let record = try await storage.record(.accessToken, SecretDigest(String(parts[1])).text),
            let token = IssuedToken(record), token.expires > now, let grant = try await grant(token.grant),
            let user = configuration.user(subject: grant.subject), let client = try await client(grant.clientID)
        else { throw bearer(.unauthorized, .invalidToken, "The access token is unknown, too old or revoked.") }
        guard token.scopes.contains(.openID) else {
            throw bearer(.forbidden, .insufficientScope, "The access token is not for user info.", scope: .openID)
        }
        var claims: JSONObject = ["sub": .string(user.subject)]
        for name in configuration.scopes.filter({ token.scopes.contains($0.scope) }).flatMap(\.claims) {
            claims[name] = user.claims[name]
        }
        scenario.userInfo(&claims)
        guard let algorithm = client.userInfoAlgorithm else { return .json(claims) }
        return try await signed(claims, for: client, algorithm)
    }

    /// Signed claims name who says them and to whom (OpenID Connect Core section 5.3.2).
    private func signed(
        _ claims: JSONObject,
        for client: RegisteredClient,
        _ algorithm: SignatureAlgorithm
    ) async throws -> ProviderResponse {
        var claims = claims
        claims["iss"] = .string(configuration.issuer.description)
        claims["aud"] = .string(client.id)
        claims["iat"] = .integer(now.numericDate)
        let token = try await signingKey(algorithm).sign(claims: claims, type: "JWT")
        var response = ProviderResponse.json([:])
        response.fields[.contentType] = "application/jwt"
        response.content = .bytes(Array(token.utf8))
        return response
    }

    private static let bearerRealm = "Bearer realm=\"ostiary\""

    /// A refusal in the words of RFC 6750 section 3.
    private func bearer(
        _ status: HTTPResponse.Status,
        _ code: OAuthError.Code,
        _ sentence: String,
        scope: Scope? = nil
    ) -> Refusal {
        let needed = scope.map { ", scope=\"\($0.rawValue)\"" } ?? ""
        return .challenge(
            "\(Self.bearerRealm), error=\"\(code.rawValue)\", error_description=\"\(sentence)\"\(needed)",
            status
        )
    }
}
