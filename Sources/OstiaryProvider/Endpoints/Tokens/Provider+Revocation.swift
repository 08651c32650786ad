import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The revocation endpoint (RFC 7009): a refresh token is revoked with its whole grant, an access token alone.
    ///
    /// An unknown token counts as revoked. Another client's token is not revoked, and the response is an error.
    func revoke(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (client, form) = try await clientRequest(request)
        guard client.isConfidential || manners.publicClientRevocation == .allowed else {
            return ProviderResponse(status: .unauthorized, fields: [.cacheControl: "no-store"])
        }
        guard let secret = form[.token], !secret.isEmpty else {
            throw Refusal.json(.invalidRequest, "The token is missing.")
        }
        let key = SecretDigest(secret).text
        for kind in [ProviderRecord.Kind.refreshToken, .accessToken] {
            guard let record = try await storage.record(kind, key), let token = IssuedToken(record) else { continue }
            guard token.clientID.utf8.elementsEqual(client.id.utf8) else {
                throw Refusal.json(.invalidGrant, "The token was issued to another client.")
            }
            if kind == .refreshToken || manners.accessTokenRevocation == .endsGrant {
                try await storage.remove(.family(token.grant))
                continue
            }
            switch manners.accessTokenRevocation {
            case .endsToken, .endsGrant: try await storage.remove(.key(kind, key))
            case .ignored: break
            case .unsupported: throw Refusal.json(.unsupportedTokenType, "Only refresh tokens can be revoked here.")
            }
        }
        return ProviderResponse(status: .ok, fields: [.cacheControl: "no-store", .pragma: "no-cache"])
    }
}
