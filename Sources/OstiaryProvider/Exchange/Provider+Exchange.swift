import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Exchanges a token for another one, with no more scopes and no longer lifetime (RFC 8693 section 2).
    func exchange(
        _ form: Parameters,
        _ client: RegisteredClient,
        _ key: String?
    ) async throws -> ProviderResponse {
        let requested = try requestedType(form, client)
        let subject = try await presented(.subjectToken, .subjectTokenType, form)
        // An ID token is for its client alone, and a client without authentication could exchange any stolen token (RFC
        // 8693 section 5).
        if subject.grant == nil || !client.isConfidential {
            guard subject.clientID.utf8.elementsEqual(client.id.utf8) else { throw Self.invalidToken(.subjectToken) }
        }
        // The client that has the key cannot get rid of the binding here; a resource server cannot prove its client's
        // key.
        if let bound = subject.keyThumbprint, subject.clientID.utf8.elementsEqual(client.id.utf8) {
            try Self.check(key, is: bound)
        }
        var target = TokenTarget(keyThumbprint: key, resources: try exchangedResources(form))
        var grant = IssuedGrant(
            id: random.identifier(),
            clientID: client.id,
            subject: subject.subject,
            scopes: try exchangedScopes(form[.scope], subject, client, requested),
            authenticated: subject.authenticated,
            session: subject.session,
            expires: requested == .refreshToken ? subject.grant?.expires ?? subject.expires : subject.expires
        )
        grant.context = subject.context
        grant.parent = subject.grant?.id
        grant.actor = try await actor(form, of: subject, client)
        grant.audience = try await exchangedAudience(form, target)
        let asked = target.audience
        target = try plan(target, form, grant, scopes: grant.scopes, granted: subject.scopes)
        if target.audience != asked { grant.audience = target.audience }
        guard try await !isTooDeep(grant) else {
            throw Refusal.json(.invalidRequest, "The subject_token was exchanged too often.")
        }
        try await storage.put(grant.record)
        var response = try await issue(requested, of: grant, client, target)
        guard try await self.grant(grant.id) != nil else {
            try await storage.remove(.family(grant.id))
            throw Self.invalidToken(.subjectToken)
        }
        configuration.dialect.writeTokenResponse(&response, for: .tokenExchange)
        scenario.tokenResponse(&response, .tokenExchange)
        return .json(response)
    }

    /// Makes and keeps the token (RFC 8693 section 2.2.1).
    private func issue(
        _ type: TokenType,
        of grant: IssuedGrant,
        _ client: RegisteredClient,
        _ target: TokenTarget
    ) async throws -> JSONObject {
        var allowed = grant.scopes
        var response = JSONObject()
        if manners.issuedTokenType == .present { response["issued_token_type"] = .string(type.rawValue) }
        if type == .refreshToken {
            let secret = random.secret()
            let issued = IssuedToken(
                grant: grant.id,
                clientID: client.id,
                scopes: grant.scopes,
                keyThumbprint: client.isConfidential ? nil : target.keyThumbprint,
                expires: grant.expires
            )
            try await storage.put(issued.record(.refreshToken, secret: secret))
            response["access_token"] = .string(secret)
            response["token_type"] = "N_A"
        } else {
            let expires = min(now.addingTimeInterval(lifetimes.accessToken.inSeconds), grant.expires)
            let scopes = target.plan?.scopes ?? target.scopes(among: grant.scopes)
            // The grant's audience: the resources, and the further audiences that the client named.
            var binding = TokenTarget(keyThumbprint: target.keyThumbprint, plan: target.plan)
            binding.plan?.audience = []
            let (token, claims) = try await accessToken(grant, scopes: scopes, expires: expires, binding)
            var issued = IssuedToken(
                grant: grant.id,
                clientID: client.id,
                scopes: scopes,
                keyThumbprint: target.keyThumbprint,
                expires: expires
            )
            issued.claims = claims
            try await storage.put(issued.record(.accessToken, secret: token))
            response["access_token"] = .string(token)
            response["token_type"] = .string(target.keyThumbprint == nil ? manners.tokenType : "DPoP")
            response["expires_in"] = lifetime(until: expires)
            allowed = scopes
        }
        if !allowed.isEmpty { response["scope"] = .string(allowed.text) }
        return response
    }

    private func requestedType(_ form: Parameters, _ client: RegisteredClient) throws(Refusal) -> TokenType {
        guard let name = form[.requestedTokenType] else { return .accessToken }
        switch TokenType(rawValue: name) {
        case .accessToken: return .accessToken
        case .jwt: return .jwt
        case .refreshToken:
            guard client.grantTypes.contains(.refreshToken) else {
                throw .json(.unauthorizedClient, "The client is not registered for refresh tokens.")
            }
            return .refreshToken
        case .idToken, nil:
            throw .json(.invalidRequest, "The requested_token_type is not access_token, jwt or refresh_token.")
        }
    }

    private func presented(
        _ name: Parameters.Name,
        _ typeName: Parameters.Name,
        _ form: Parameters
    ) async throws -> ExchangedToken {
        let secret = try required(name, form)
        guard let type = TokenType(rawValue: try required(typeName, form)),
            let token = try await exchangedToken(secret, type)
        else { throw Self.invalidToken(name) }
        return token
    }

    /// Returns `invalid_request` for an invalid token, whatever the fault (RFC 8693 section 2.2.2).
    private static func invalidToken(_ name: Parameters.Name) -> Refusal {
        .json(
            .invalidRequest,
            "The \(name.rawValue) is unknown, too old, revoked, of another type or for another client."
        )
    }

    /// The actor: the actor token's subject, with the earlier actors inside it (RFC 8693 section 4.1).
    private func actor(
        _ form: Parameters,
        of subject: ExchangedToken,
        _ client: RegisteredClient
    ) async throws -> JSONObject? {
        guard form[.actorToken] != nil else {
            guard form[.actorTokenType] == nil else {
                throw Refusal.json(.invalidRequest, "The actor_token_type has no actor_token.")
            }
            return subject.actor
        }
        let token = try await presented(.actorToken, .actorTokenType, form)
        // Only the client that an actor token was issued to may act with it.
        guard token.clientID.utf8.elementsEqual(client.id.utf8) else { throw Self.invalidToken(.actorToken) }
        var actor: JSONObject = ["sub": .string(try await self.subject(token.subject, for: client))]
        actor["act"] = subject.actor.map { .object($0) }
        return actor
    }

    /// The scopes of the new token: no more than the subject token's and the client's.
    private func exchangedScopes(
        _ text: String?,
        _ subject: ExchangedToken,
        _ client: RegisteredClient,
        _ requested: TokenType
    ) throws(Refusal) -> [Scope] {
        let asked = text.map(Scope.list) ?? subject.scopes
        guard Set(asked).isSubset(of: subject.scopes), text == nil || !asked.isEmpty else {
            throw .json(.invalidScope, "The scope is wider than the subject_token's.")
        }
        let isOffline = requested == .refreshToken
        guard !isOffline || asked.contains(.offlineAccess) && client.allowedScopes.contains(.offlineAccess) else {
            throw .json(.invalidScope, "A refresh token needs offline_access in the subject_token.")
        }
        let scopes = asked.filter { client.allowedScopes.contains($0) && ($0 != .offlineAccess || isOffline) }
        guard !scopes.isEmpty || asked.isEmpty else {
            throw .json(.invalidScope, "The client may not have any of these scopes.")
        }
        return scopes
    }

    /// The audience of the new token; `nil` for the provider's own.
    private func exchangedAudience(_ form: Parameters, _ target: TokenTarget) async throws -> [String]? {
        var audience: [String] = []
        for name in form.values(of: .audience) {
            let others = configuration.audience + configuration.resources.map(\.identifier)
            let isKnown = try await client(name) != nil || others.contains { $0.utf8.elementsEqual(name.utf8) }
            guard isKnown else { throw Refusal.json(.invalidTarget, "The audience is unknown here.") }
            audience.append(name)
        }
        audience += form.values(of: .resource).filter { !audience.contains($0) }
        return audience.isEmpty ? nil : audience
    }

    /// The resources that the new token is for; the provider's own audience is known without being one of them.
    private func exchangedResources(_ form: Parameters) throws(Refusal) -> [ProviderResource] {
        let others = form.values(of: .resource).filter { name in
            !configuration.audience.contains { $0.utf8.elementsEqual(name.utf8) }
        }
        do throws(InvalidTarget) {
            return try configuration.resources(named: others)
        } catch {
            throw .json(.invalidTarget, error.sentence)
        }
    }

    /// Whether a token has too many exchanges behind it: each use checks every earlier token.
    private func isTooDeep(_ grant: IssuedGrant) async throws -> Bool {
        var depth = 0
        var parent = grant.parent
        while let id = parent, depth <= Self.maximumExchanges {
            depth += 1
            parent = try await storage.record(.grant, id).flatMap(IssuedGrant.init)?.parent
        }
        return depth > Self.maximumExchanges
    }

    private static let maximumExchanges = 8
}
