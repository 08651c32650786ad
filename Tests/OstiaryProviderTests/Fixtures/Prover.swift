import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A client's key, and the proofs that it makes with it.
struct Prover {
    let key: SigningKey
    let clock: MovableClock

    init(_ clock: MovableClock, _ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.generate(algorithm)
        self.clock = clock
    }

    var thumbprint: String { key.publicKey.thumbprint() }

    /// A proof that the provider likes, changed.
    func proof(
        _ method: String = "POST",
        _ path: String = "/token",
        nonce: String? = nil,
        token: String? = nil,
        type: String? = "dpop+jwt",
        jwk: JSONObject? = nil,
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string(Fixtures.issuer + path),
            "iat": .integer(Int(clock.now.timeIntervalSince1970)),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        claims["ath"] = token.map { .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array($0.utf8)))) }
        change(&claims)
        return try key.sign(
            claims: claims,
            type: type,
            extraHeader: ["jwk": .object(jwk ?? key.publicKey.jsonObject)]
        )
    }

    /// A proof in its field.
    func field(_ path: String = "/token", nonce: String? = nil) throws -> HTTPFields {
        [.dpop: try proof("POST", path, nonce: nonce)]
    }
}

extension World {
    /// Asks for user info with a proof.
    func userInfo(_ token: String, _ prover: Prover, nonce: String? = nil, scheme: String = "DPoP") async throws
        -> ProviderResponse
    {
        let proof = try prover.proof("GET", "/userinfo", nonce: nonce, token: token)
        return await get("/userinfo", fields: [.authorization: "\(scheme) \(token)", .dpop: proof])
    }

    /// Signs alice in and redeems the code for tokens that are bound to a key.
    func boundTokens(_ prover: Prover, _ request: Parameters = .authorization()) async throws -> Tokens {
        let form = Parameters.codeGrant(try await code(request), redirectURI: request[.redirectURI])
        return try Tokens(await post("/token", form, fields: prover.field()))
    }

    func refresh(_ token: String, _ fields: HTTPFields, _ change: (inout Parameters) -> Void = { _ in }) async
        -> ProviderResponse
    {
        var form = Parameters([.grantType: "refresh_token", .refreshToken: token, .clientID: "app"])
        change(&form)
        return await post("/token", form, fields: fields)
    }
}
