import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The introspection endpoint (RFC 7662).
    ///
    /// A token that is unknown, expired, revoked, or not the client's to introspect is inactive, and the response says
    /// nothing else about it (RFC 7662 section 2.2).
    func introspect(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (client, form) = try await clientRequest(request)
        guard client.isConfidential else {
            // Without authentication, an attacker could try tokens (RFC 7662 section 2.1).
            throw Refusal.json(
                OAuthError(code: .invalidClient, description: "The client has to authenticate."),
                .unauthorized,
                challenge: ClientCredentials.challenge
            )
        }
        var claims = try await describe(try required(.token, form), to: client) ?? ["active": false]
        scenario.introspection(&claims)
        return .json(claims)
    }

    private func describe(_ secret: String, to client: RegisteredClient) async throws -> JSONObject? {
        if let (token, grant, claims) = try await activeAccessToken(secret) {
            let isForAsker = Self.audience(claims).contains { $0.utf8.elementsEqual(client.id.utf8) }
            guard isForAsker || mayAsk(client, about: token.clientID) else { return nil }
            var answer: JSONObject = [
                "active": true, "token_type": claims["cnf"]?.object?["jkt"] == nil ? "Bearer" : "DPoP",
            ]
            for name in ["scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "cnf", "act"] {
                answer[name] = claims[name]
            }
            if let context = claims["acr"] {
                // RFC 9470 section 6.2.
                answer["acr"] = context
                answer["auth_time"] = claims["auth_time"]
            }
            answer["client_id"] = .string(token.clientID)
            answer["username"] = userName(grant)
            return answer
        }
        let key = SecretDigest(secret).text
        guard let token = try await storage.record(.refreshToken, key).flatMap(IssuedToken.init), token.expires > now,
            try await !storage.wasUsed(.refreshToken, key), let grant = try await grant(token.grant),
            mayAsk(client, about: token.clientID)
        else { return nil }
        var answer: JSONObject = [
            "active": true, "scope": .string(token.scopes.text), "client_id": .string(token.clientID),
            "exp": .integer(token.expires.numericDate),
            "sub": .string(try await subject(grant.subject, for: try await self.client(token.clientID))),
            "iss": .string(configuration.issuer.description),
        ]
        answer["username"] = userName(grant)
        answer["cnf"] = token.keyThumbprint.map { ["jkt": .string($0)] }
        return answer
    }

    private func mayAsk(_ client: RegisteredClient, about owner: String?) -> Bool {
        client.mayIntrospect || owner.map { $0.utf8.elementsEqual(client.id.utf8) } ?? false
    }

    private func userName(_ grant: IssuedGrant) -> JSONValue? {
        guard grant.session != nil else { return nil }
        return user(subject: grant.subject).map { .string($0.name) }
    }
}
