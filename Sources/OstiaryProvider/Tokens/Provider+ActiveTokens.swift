package import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Returns a valid access token of this provider with its claims; `nil` for any other text.
    ///
    /// The record is found by the digest of the whole token, so the token is exactly the one that was signed here. Its
    /// signature is not checked again: the key may have been withdrawn since.
    package func activeAccessToken(
        _ secret: String
    ) async throws -> (token: IssuedToken, grant: IssuedGrant, claims: JSONObject)? {
        guard let token = try await storage.record(.accessToken, SecretDigest(secret).text).flatMap(IssuedToken.init),
            token.expires > now, let grant = try await grant(token.grant)
        else { return nil }
        if let claims = token.claims { return (token, grant, claims) }
        let parts = secret.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? Base64URL.decode(String(parts[1])),
            let claims = try? JSONObject(parsing: payload)
        else { return nil }
        return (token, grant, claims)
    }

    /// Returns the audience of a token.
    static func audience(_ claims: JSONObject) -> [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
    }
}
