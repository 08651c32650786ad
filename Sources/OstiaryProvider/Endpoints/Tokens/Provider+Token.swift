import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The token endpoint (RFC 6749 section 3.2).
    func token(_ request: ProviderRequest) async throws -> ProviderResponse {
        let (client, form) = try await clientRequest(request)
        try refuseOtherOrigins(request)
        guard let name = form[.grantType], !name.isEmpty else {
            throw Refusal.json(.invalidRequest, "The grant_type is missing.")
        }
        guard let grantType = RegisteredClient.GrantType(rawValue: name) else {
            throw Refusal.json(.unsupportedGrantType, "The grant_type is not supported.")
        }
        guard client.grantTypes.contains(grantType) else {
            throw Refusal.json(.unauthorizedClient, "The client is not registered for this grant_type.")
                .mended(by: "Add \(name) to the client's grant_types.")
        }
        let key = try await provenKey(of: request, at: .token, for: client)
        // First: a client that is registered for other tokens would be refused all the same.
        guard key != nil || rules(for: client).senderConstraint == .asRegistered else {
            throw Refusal.json(.invalidDPoPProof, "Tokens are bound to a key here: a DPoP proof is missing.")
                .breaking(.senderConstraint)
        }
        guard key != nil || !client.requiresDPoP else {
            throw Refusal.json(.invalidDPoPProof, "The client is registered for tokens that are bound to a key.")
                .mended(by: "Send a DPoP proof, or take dpop_bound_access_tokens from the client.")
        }
        var response =
            switch grantType {
            case .authorizationCode: try await redeemCode(form, client, key, request)
            case .refreshToken: try await refresh(form, client, key)
            case .clientCredentials: try await grantToClient(form, client, key)
            case .deviceCode: try await redeemDeviceCode(form, client, key)
            case .tokenExchange: try await exchange(form, client, key)
            }
        response.fields.append(contentsOf: nonceField(.authorizationServer))
        replaceNonces()
        return response
    }

    /// Redeems a code (RFC 6749 section 4.1.3, RFC 7636 section 4.6).
    private func redeemCode(
        _ form: Parameters,
        _ client: RegisteredClient,
        _ key: String?,
        _ request: ProviderRequest
    ) async throws -> ProviderResponse {
        let secret = try required(.code, form)
        let invalid = Refusal.json(.invalidGrant, "The code is unknown, used, too old, or not for this request.")
        let place = SecretDigest(secret).text
        // Another client's code is left unchanged: a client that steals one must not end the owner's sign-in with it.
        guard let record = try await storage.record(.authorizationCode, place), let code = IssuedCode(record),
            code.clientID.utf8.elementsEqual(client.id.utf8)
        else {
            try checkPresence(form, client)
            throw invalid.since("The code is unknown, or another client's.")
        }
        let redirectURI = try redirectURI(for: code, form, client, request)
        let verifier = try verifier(for: code, form)
        guard code.hasProofKey || mayLeaveOutProofKey(client) else {
            throw invalid.since("The code was requested without PKCE, which its client has to use now.")
        }
        if let bound = code.keyThumbprint { try Self.check(key, is: bound) }
        if let grant = try await grant(code.grant) {
            let resources = try resources(of: grant, in: form)
            _ = try plan(TokenTarget(keyThumbprint: key, resources: resources), form, grant, scopes: grant.scopes)
        }
        switch try await storage.use(.authorizationCode, place) {
        case .absent: throw invalid
        case .again:
            // Two senders have the code, and one of them stole it: the tokens of both are revoked (RFC 6749 section
            // 4.1.2).
            try await storage.remove(.family(code.grant))
            throw invalid.since("The code was used before, so the tokens that it gave have ended.")
        case .first: break
        }
        guard code.expires > now else { throw invalid.since("The code is too old.") }
        guard code.redirectURI.utf8.elementsEqual(redirectURI.utf8) else {
            throw invalid.since("The redirect_uri is not the one of the authorization request.")
        }
        guard code.isProved(by: verifier) else {
            throw invalid.since("The code_verifier does not belong to the code_challenge.")
        }
        guard let grant = try await grant(code.grant) else { throw invalid.since("The grant has ended.") }
        return try await issueTokens(
            grant,
            client,
            scopes: grant.scopes,
            nonce: code.nonce,
            .authorizationCode,
            invalid,
            try plan(
                TokenTarget(keyThumbprint: key, resources: try resources(of: grant, in: form)),
                form,
                grant,
                scopes: grant.scopes
            )
        )
    }

    /// Checks that a token request has what every code of its client needs, so that one with an unknown code learns it.
    private func checkPresence(_ form: Parameters, _ client: RegisteredClient) throws(Refusal) {
        let rules = rules(for: client)
        if rules.tokenRedirectURI == .required, rules.missingRedirectURI == .refused {
            _ = try required(.redirectURI, form)
        }
        if !mayLeaveOutProofKey(client) { _ = try verifier(in: form) }
    }

    /// Whether a client's codes may be without PKCE.
    private func mayLeaveOutProofKey(_ client: RegisteredClient) -> Bool {
        rules(for: client).proofKeys == .publicClients && client.isConfidential
    }

    /// The redirect URI of a token request, which an authorization request without one does not need (RFC 6749 section
    /// 4.1.3).
    private func redirectURI(
        for code: IssuedCode,
        _ form: Parameters,
        _ client: RegisteredClient,
        _ request: ProviderRequest
    ) throws(Refusal) -> String {
        if let uri = form[.redirectURI] { return uri }
        guard code.namesRedirectURI else { return code.redirectURI }
        guard code.hasProofKey, rules(for: client).tokenRedirectURI == .optional else {
            do throws(Refusal) { return try required(.redirectURI, form) } catch {
                throw error.breaking(code.hasProofKey ? .tokenRedirectURI : nil)
            }
        }
        let admission = Admission(rule: .tokenRedirectURI, reason: "The token request has no redirect_uri.")
        reportAdmissions([admission], of: client, request)
        return code.redirectURI
    }

    /// The verifier for a code; `nil` for a code that was requested without PKCE.
    ///
    /// A verifier for such a code is rejected: an attacker may have removed the challenge from the request (RFC 9700
    /// section 2.1.1).
    /// section 2.1.1).
    private func verifier(for code: IssuedCode, _ form: Parameters) throws(Refusal) -> String? {
        guard code.hasProofKey || form[.codeVerifier] != nil else { return nil }
        return try verifier(in: form)
    }

    private func verifier(in form: Parameters) throws(Refusal) -> String {
        let verifier = try required(.codeVerifier, form)
        guard ProofKeySyntax.isVerifier(verifier) else {
            throw .json(.invalidRequest, "The code_verifier is not 43 to 128 unreserved characters.")
        }
        return verifier
    }

    /// Redeems a refresh token for a new one (RFC 6749 section 6, RFC 9700 section 4.14.2).
    private func refresh(
        _ form: Parameters,
        _ client: RegisteredClient,
        _ key: String?
    ) async throws -> ProviderResponse {
        let secret = try required(.refreshToken, form)
        let invalid = Refusal.json(.invalidGrant, "The refresh token is unknown, used, too old, or another client's.")
        let place = SecretDigest(secret).text
        guard let record = try await storage.record(.refreshToken, place), let token = IssuedToken(record),
            token.clientID.utf8.elementsEqual(client.id.utf8), let grant = try await grant(token.grant)
        else { throw invalid.since("The refresh token is unknown or another client's, or its grant has ended.") }
        // Another instance of the same app has another key: its attestation does not make this token its own.
        let isOfInstance = token.instance.map { constantTimeEqual($0, client.instance ?? "") } ?? true
        guard NamedCheck.holds("refresh.instance", isOfInstance) else { throw invalid }
        if let bound = token.keyThumbprint { try Self.check(key, is: bound) }
        var target = TokenTarget(keyThumbprint: key, resources: try resources(of: grant, in: form))
        let scopes = form[.scope].map(Scope.list) ?? grant.scopes
        guard !scopes.isEmpty, Set(scopes).isSubset(of: grant.scopes) else {
            throw Refusal.json(.invalidScope, "The scope is wider than the user allowed.")
                .mended(by: "The grant has: \(grant.scopes.text).")
        }
        target = try plan(target, form, grant, scopes: scopes)
        if case .once(let grace) = refreshTokens(of: client, isBound: token.keyThumbprint != nil) {
            switch try await storage.use(.refreshToken, place) {
            case .absent: throw invalid
            case .again:
                if try await mayBeRepetition(of: place) { break }
                // The token was rotated before: either an attacker or the client has the new one, and the provider
                // cannot know which.
                try await storage.remove(.family(grant.id))
                throw invalid.since("The refresh token was replaced before: its grant has ended, so sign in again.")
            case .first:
                try await rememberUse(of: place, in: grant, for: grace ?? lifetimes.refreshTokenReuse)
            }
        }
        let nonce = manners.nonceAtRefresh == .present ? grant.nonce : nil
        return try await issueTokens(
            grant,
            client,
            scopes: scopes,
            nonce: nonce,
            .refreshToken,
            invalid,
            target,
            after: (secret, token)
        )
    }

    /// Stores the time of a refresh token's first use, for as long as a repetition is accepted.
    private func rememberUse(of place: String, in grant: IssuedGrant, for grace: Duration) async throws {
        guard grace > .zero else { return }
        let end = now.addingTimeInterval(grace.inSeconds)
        let use = ProviderRecord(
            kind: .refreshToken,
            key: Self.useKey(place),
            family: grant.id,
            value: ["repeatable_until": .number(end.timeIntervalSince1970)],
            expires: end
        )
        try await storage.put(use)
    }

    /// Whether a second use comes so soon that the response to the first one may have been lost.
    private func mayBeRepetition(of place: String) async throws -> Bool {
        let use = try await storage.record(.refreshToken, Self.useKey(place))
        guard let end = use?.value["repeatable_until"]?.number else { return false }
        return now.timeIntervalSince1970 < end
    }

    /// The key cannot be a token's digest, since no digest contains a space.
    private static func useKey(_ place: String) -> String { "use of \(place)" }

    /// Checks that the sender of a bound code or token has its key (RFC 9449 sections 5 and 10).
    static func check(_ key: String?, is bound: String) throws(Refusal) {
        guard let key else {
            throw .json(.invalidDPoPProof, "The code or token is bound to a key: send a DPoP proof by that key.")
        }
        guard constantTimeEqual(key, bound) else { throw .json(.invalidGrant, "It is bound to another key.") }
    }

    /// Signs, stores and returns tokens.
    ///
    /// `ended` is thrown when the grant was ended while the tokens were made. `target` is the binding of the access
    /// token. `predecessor` is the refresh token that is redeemed; `nil` for any other grant.
    func issueTokens(
        _ grant: IssuedGrant,
        _ client: RegisteredClient,
        scopes: [Scope],
        nonce: String?,
        _ occasion: RegisteredClient.GrantType,
        _ ended: Refusal,
        _ target: TokenTarget = TokenTarget(),
        after predecessor: (secret: String, token: IssuedToken)? = nil
    ) async throws -> ProviderResponse {
        if scenario.rotatesKeysBeforeSigning { try await keyRing.rotate(keepingOld: nil, now: now) }
        if occasion == .refreshToken {
            switch scenario.keysAtRefresh {
            case .kept, .otherAlgorithm: break
            case .added:
                let retirement = KeyRing.Retirement(published: grant.expires, recognized: grant.expires)
                try await keyRing.rotate(keepingOld: retirement, now: now)
            case .replaced: try await keyRing.rotate(keepingOld: nil, now: now)
            }
        }
        let expires = min(now.addingTimeInterval(lifetimes.accessToken.inSeconds), grant.expires)
        let tokenScopes = target.plan?.scopes ?? target.scopes(among: scopes)
        let (accessToken, claims) = try await self.accessToken(grant, scopes: tokenScopes, expires: expires, target)
        var issued = IssuedToken(
            grant: grant.id,
            clientID: client.id,
            scopes: tokenScopes,
            resources: target.audience,
            keyThumbprint: target.keyThumbprint,
            expires: expires
        )
        issued.claims = claims
        try await storage.put(issued.record(.accessToken, secret: accessToken))
        var response: JSONObject = [
            "access_token": .string(accessToken),
            "token_type": .string(target.keyThumbprint == nil ? manners.tokenType : "DPoP"),
            "expires_in": lifetime(until: expires),
        ]
        let ownKeyID = try await idTokenKey(client, occasion).keyID
        let firstKeyID = predecessor?.token.firstKeyID ?? ownKeyID
        if !tokenScopes.isEmpty { response["scope"] = .string(tokenScopes.text) }
        // The new refresh token keeps the scopes of the old one, however narrow this response is (RFC 6749 section 6).
        if grant.isOffline, client.grantTypes.contains(.refreshToken) {
            let isBound = predecessor?.token.keyThumbprint != nil
            let treatment = refreshTokens(of: client, isBound: isBound)
            if let predecessor, !treatment.replaces {
                if treatment == .repeated { response["refresh_token"] = .string(predecessor.secret) }
            } else {
                let secret = random.secret()
                var issued = IssuedToken(
                    grant: grant.id,
                    clientID: client.id,
                    scopes: grant.scopes,
                    // A confidential client's refresh token is bound to its authentication instead (RFC 9449 section
                    // 5).
                    keyThumbprint: client.isConfidential ? nil : target.keyThumbprint,
                    expires: grant.expires
                )
                issued.instance = client.instance
                issued.firstKeyID = firstKeyID
                try await storage.put(issued.record(.refreshToken, secret: secret))
                response["refresh_token"] = .string(secret)
            }
        }
        // A token exchange brings no ID token, and neither does a refresh of an exchanged token.
        let hasIDToken = manners.idTokenAtRefresh == .present || occasion != .refreshToken
        if scopes.contains(.openID), grant.parent == nil, hasIDToken {
            response["id_token"] = .string(
                try await idToken(
                    grant,
                    client,
                    nonce: nonce,
                    accessToken: accessToken,
                    occasion,
                    firstKeyID: predecessor == nil ? nil : firstKeyID
                )
            )
        }
        // A second use of the code may have revoked the grant since: the tokens stored after that are removed.
        guard try await self.grant(grant.id) != nil else {
            try await storage.remove(.family(grant.id))
            throw ended
        }
        configuration.dialect.writeTokenResponse(&response, for: occasion)
        scenario.tokenResponse(&response, occasion)
        return .json(response)
    }

    /// Returns a grant that has not ended, nor the one that it came from, if its client and user still exist.
    func grant(_ id: String) async throws -> IssuedGrant? {
        guard let grant = try await storage.record(.grant, id).flatMap(IssuedGrant.init), grant.expires > now,
            grant.session == nil || user(subject: grant.subject) != nil,
            try await client(grant.clientID) != nil
        else { return nil }
        if let parent = grant.parent, try await self.grant(parent) == nil { return nil }
        return grant
    }

    func required(_ name: Parameters.Name, _ form: Parameters) throws(Refusal) -> String {
        guard let value = form[name], !value.isEmpty else {
            throw .json(.invalidRequest, "A parameter is missing: \(name.rawValue).")
        }
        return value
    }
}

/// The syntax of proof keys (RFC 7636 section 4.1).
package enum ProofKeySyntax {
    package static func isVerifier(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "~"):
                    true
                default: false
                }
            }
    }
}
