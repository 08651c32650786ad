import OstiaryCompatibility
package import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension Provider {
    /// A signed access token (RFC 9068 section 2).
    func accessToken(
        _ grant: IssuedGrant,
        scopes: [Scope],
        expires: Date,
        _ target: TokenTarget
    ) async throws -> (text: String, claims: JSONObject?) {
        if target.plan?.isOpaque == true { return (random.secret(), nil) }
        let client = try await client(grant.clientID)
        let key = try await signingKey(algorithm(nil, for: client))
        let audience = audience(of: grant, target.audience)
        var claims: JSONObject = [
            "iss": .string(configuration.issuer.description),
            "sub": .string(try await subject(grant.subject, for: client)),
            "aud": audience.count == 1 ? .string(audience[0]) : .array(audience.map { .string($0) }),
            "client_id": .string(grant.clientID),
            "exp": .integer(expires.numericDate),
            "iat": .integer(now.numericDate),
            "jti": .string(random.identifier()),
        ]
        if let thumbprint = target.keyThumbprint { claims["cnf"] = ["jkt": .string(thumbprint)] }
        if grant.session != nil {
            claims["auth_time"] = .integer(grant.authenticated.numericDate)
            if contexts.count > 1 { claims["acr"] = .string(grant.context) }
        }
        if !scopes.isEmpty { claims["scope"] = .string(scopes.text) }
        claims["act"] = grant.actor.map { .object($0) }
        for (name, value) in target.plan?.claims.members ?? [] { claims[name] = value }
        let person = grant.session == nil ? nil : user(subject: grant.subject)
        configuration.dialect.writeAccessToken(&claims, for: person, scopes: scopes)
        for name in manners.absentAccessTokenClaims { claims[name] = nil }
        let isOpaque =
            switch manners.accessTokens {
            case .jwt: false
            case .opaque: true
            case .opaqueWithoutAudience: target.audience.isEmpty && grant.audience == nil
            }
        if isOpaque { return (random.secret(), claims) }
        let type = try await accessTokenHeaderType(of: grant, target)
        return (try key.sign(claims: claims, type: type), nil)
    }

    /// The `typ` of an access token: the client's, or that of its only resource, or the manners'.
    private func accessTokenHeaderType(of grant: IssuedGrant, _ target: TokenTarget) async throws -> String? {
        if let type = try await client(grant.clientID)?.accessTokenHeaderType { return type }
        let named = audience(of: grant, target.audience)
        let resource = configuration.resources.first { resource in
            named.count == 1 && named[0].utf8.elementsEqual(resource.identifier.utf8)
        }
        return resource?.accessTokenHeaderType ?? manners.accessTokenHeaderType
    }

    /// Returns the audience of an access token: the resources that the request named, or else the grant's.
    func audience(of grant: IssuedGrant, _ resources: [String]) -> [String] {
        resources.isEmpty ? grant.audience ?? configuration.audience : resources
    }

    /// An ID token (OpenID Connect Core sections 2 and 12.2).
    ///
    /// A refreshed one has the claims of the first, except for its times and, by default, without the nonce.
    ///
    /// `firstKeyID` is the key that the sign-in's first ID token named; `nil` at the sign-in.
    func idToken(
        _ grant: IssuedGrant,
        _ client: RegisteredClient,
        nonce: String?,
        accessToken: String,
        _ occasion: RegisteredClient.GrantType,
        firstKeyID: String? = nil
    ) async throws -> String {
        let key = try await idTokenKey(client, occasion)
        var claims: JSONObject = [
            "iss": .string(configuration.issuer.description),
            "sub": .string(try await subject(grant.subject, for: client)),
            "aud": .string(client.id),
            "exp": .integer(now.addingTimeInterval(lifetimes.idToken.inSeconds).numericDate),
            "iat": .integer(now.numericDate),
            "acr": .string(grant.context),
            "amr": .strings(grant.methods),
        ]
        claims["auth_time"] = try await authenticationTime(of: grant).map { .integer($0.numericDate) }
        if manners.accessTokenHash == .present {
            claims["at_hash"] = .string(key.algorithm.hashAlgorithm.leftHalf(of: accessToken))
        }
        claims["sid"] = grant.session.map { .string($0) }
        claims["nonce"] = nonce.map { .string($0) }
        if let person = user(subject: grant.subject) {
            let scopes = hasUserClaimsInIDToken(client) ? grant.scopes : []
            writeUserClaims(&claims, of: person, scopes, named: grant.claims.idToken)
            configuration.dialect.writeIDToken(&claims, for: person, scopes: grant.scopes)
        }
        writeTextualClaims(&claims)
        let keys = try await keyRing.keys()
        let otherKeys = keys.signing.values.filter { $0.algorithm != key.algorithm }
            .sorted { $0.algorithm.rawValue < $1.algorithm.rawValue }
        var draft = TokenDraft(
            claims: claims,
            type: "JWT",
            key: key,
            otherKeys: otherKeys,
            occasion: occasion
        )
        if let firstKeyID, manners.keyIDAtRefresh == .ofFirstIDToken { draft.header["kid"] = .string(firstKeyID) }
        if manners.keyID == .absent { draft.header["kid"] = nil }
        scenario.idToken(&draft)
        return try draft.signed(by: key)
    }

    /// The claims of an ID token that was made here, however long ago (OpenID Connect RP-Initiated Logout section 2);
    /// `nil` for anything else.
    ///
    /// Its `sub` is the user's own, whatever the client knows.
    func hintedClaims(_ compact: String) async throws -> JSONObject? {
        let keys = JSONWebKeySet(try await keyRing.keys().recognized(at: now))
        guard let token = try? UnverifiedJWT(compact), token.header.type == "JWT",
            let verified = try? verified(token, by: keys),
            verified.claims["iss"]?.string == configuration.issuer.description
        else { return nil }
        var claims = verified.claims
        if let subject = claims["sub"]?.string, let audience = claims["aud"]?.string {
            // An ID token from before the client had a sector has the user's own subject.
            claims["sub"] = .string(try await ownSubject(of: subject, for: try await client(audience)) ?? subject)
        }
        return claims
    }

    /// An ID token whose signature is by a key of this provider: by the one that it names, unless the manners let
    /// another sign.
    private func verified(_ token: UnverifiedJWT, by keys: JSONWebKeySet) throws(JOSEError) -> VerifiedJWT {
        // Each key has one algorithm, which the administration may have changed since.
        let algorithms = Set(SignatureAlgorithm.allCases)
        return switch manners.keyIDAtRefresh {
        case .ofSigningKey: try token.verified(by: keys, algorithms: algorithms)
        case .ofFirstIDToken: try token.verified(byAnyOf: keys, algorithms: algorithms)
        }
    }

    /// The key that signs the client's ID tokens.
    func idTokenKey(
        _ client: RegisteredClient,
        _ occasion: RegisteredClient.GrantType
    ) async throws -> SigningKey {
        if occasion == .refreshToken { hasChangedAlgorithm.withLock { $0 = true } }
        return try await signingKey(changingAlgorithm ?? algorithm(client.idTokenAlgorithm, for: client))
    }

    /// The algorithm of a client's tokens: the wanted one, or else the first that its rules accept.
    func algorithm(_ wanted: SignatureAlgorithm?, for client: RegisteredClient?) -> SignatureAlgorithm {
        let accepted = client.map(rules(for:)) ?? self.rules
        let usable = algorithms.filter(accepted.algorithms.contains)
        return usable.first { $0 == wanted } ?? usable.first ?? .rs256
    }

    /// The algorithm of ID tokens in a scenario that changes it at the first refresh; `nil` in any other.
    var changingAlgorithm: SignatureAlgorithm? {
        guard scenario.keysAtRefresh == .otherAlgorithm, algorithms.count > 1 else { return nil }
        return algorithms[hasChangedAlgorithm.withLock { $0 } ? 1 : 0]
    }

    package func signingKey(_ algorithm: SignatureAlgorithm) async throws -> SigningKey {
        guard let key = try await keyRing.keys().key(for: algorithm) else {
            throw ProviderStorageFailure("finding a signing key")
        }
        return key
    }
}

extension Date {
    /// Whole seconds, as every client can read them.
    package var numericDate: Int { Int(timeIntervalSince1970.rounded(.down)) }
}
