import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

extension Provider {
    /// The user info endpoint (OpenID Connect Core section 5.3): the token in the `Authorization` field or, where the rules
    /// serve that, in the form.
    func userInfo(_ request: ProviderRequest) async throws -> ProviderResponse {
        let fields = request.fields[values: .authorization]
        let posted = request.formParameters?.values(of: "access_token").filter { !$0.isEmpty } ?? []
        let elsewhere = bearer(.badRequest, .invalidRequest, "The access token belongs in one Authorization field.")
        // A token in a URL ends in logs and histories (RFC 9700 section 4.3.2).
        guard request.queryParameters?["access_token"] == nil, fields.count + posted.count <= 1 else { throw elsewhere }
        guard
            let presented = fields.first.flatMap({ PresentedToken($0) })
                ?? posted.first.map(PresentedToken.init(bearer:))
        else {
            throw userInfoRefusal(
                "\(Self.bearerRealm), \(dpopRealm)",
                .unauthorized,
                nil,
                "The access token is missing."
            )
        }
        let found = try await storage.record(.accessToken, SecretDigest(presented.text).text)
        let ownerID = found.flatMap(IssuedToken.init)?.clientID
        var owner: RegisteredClient?
        if let ownerID { owner = try await client(ownerID) }
        if !posted.isEmpty {
            let rules = owner.map(rules(for:)) ?? self.rules
            guard rules.userInfoForm == .accepted else {
                throw elsewhere.breaking(owner.map { _ in .userInfoForm }).noting(client: owner?.id)
            }
            let admission = Admission(rule: .userInfoForm, reason: "The access token was in the form.")
            if let owner { reportAdmissions([admission], of: owner, request) }
        }
        guard let token = found.flatMap(IssuedToken.init), token.expires > now,
            let grant = try await grant(token.grant),
            let user = user(subject: grant.subject), let client = owner
        else { throw invalidToken(presented.scheme, "The access token is unknown, too old or revoked.") }
        try await checkScheme(presented, token, request, client)
        guard isForUserInfo(token, of: grant) else {
            throw invalidToken(presented.scheme, "The access token is for another resource.")
        }
        guard token.scopes.contains(.openID) else {
            throw bearer(.forbidden, .insufficientScope, "The access token is not for user info.", scope: .openID)
        }
        var claims: JSONObject = ["sub": .string(try await subject(user.subject, for: client))]
        writeUserClaims(&claims, of: user, token.scopes, named: grant.claims.userInfo)
        writeTextualClaims(&claims)
        configuration.dialect.writeUserInfo(&claims, for: user, scopes: token.scopes)
        scenario.userInfo(&claims)
        let algorithm = client.userInfoAlgorithm
        var response: ProviderResponse =
            if let algorithm { try await signed(claims, for: client, algorithm) } else { .json(claims) }
        response.fields.append(contentsOf: nonceField(.resourceServer))
        return response
    }

    /// Checks that a bound token comes with its key, and one that is not bound without (RFC 9449 section 7.2).
    private func checkScheme(
        _ presented: PresentedToken,
        _ token: IssuedToken,
        _ request: ProviderRequest,
        _ client: RegisteredClient
    ) async throws {
        switch (presented.scheme, token.keyThumbprint) {
        case (.bearer, nil): break
        case (.bearer, _?): throw dpopChallenge(.invalidToken, "The access token is bound to a key.")
        case (.dpop, nil): throw dpopChallenge(.invalidToken, "The access token is not bound to a key.")
        case (.dpop, let key?):
            try await checkPossession(of: key, presented, request, at: .userInfo, for: client)
        }
    }

    private func isForUserInfo(_ token: IssuedToken, of grant: IssuedGrant) -> Bool {
        // A provider with the parameter `audience` adds itself to the named ones.
        if manners.audienceParameter == .audience { return true }
        let own = configuration.audience + [configuration.issuer.description]
        return audience(of: grant, token.resources).contains { name in
            own.contains { $0.utf8.elementsEqual(name.utf8) }
        }
    }

    private func invalidToken(_ scheme: PresentedToken.Scheme, _ sentence: String) -> Refusal {
        switch scheme {
        case .bearer: bearer(.unauthorized, .invalidToken, sentence)
        case .dpop: dpopChallenge(.invalidToken, sentence)
        }
    }

    /// Returns signed claims with their issuer and audience (OpenID Connect Core section 5.3.2).
    private func signed(
        _ claims: JSONObject,
        for client: RegisteredClient,
        _ algorithm: SignatureAlgorithm
    ) async throws -> ProviderResponse {
        var claims = claims
        claims["iss"] = .string(configuration.issuer.description)
        claims["aud"] = .string(client.id)
        claims["iat"] = .integer(now.numericDate)
        let key = try await signingKey(self.algorithm(algorithm, for: client))
        var draft = TokenDraft(claims: claims, type: "JWT", key: key, otherKeys: [], occasion: .authorizationCode)
        scenario.signedUserInfo(&draft)
        let token = try draft.signed(by: key)
        var response = ProviderResponse.json([:])
        response.fields[.contentType] = "application/jwt"
        response.content = .bytes(Array(token.utf8))
        return response
    }

    private static let bearerRealm = "Bearer realm=\"ostiary\""

    /// A refusal in the form of RFC 6750 section 3.
    private func bearer(
        _ status: HTTPResponse.Status,
        _ code: OAuthError.Code,
        _ sentence: String,
        scope: Scope? = nil
    ) -> Refusal {
        let needed = scope.map { ", scope=\"\($0.rawValue)\"" } ?? ""
        return userInfoRefusal(
            "\(Self.bearerRealm), error=\"\(code.rawValue)\", error_description=\"\(sentence)\"\(needed)",
            status,
            code,
            sentence
        )
    }
}
