import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// Issues an access token to the client itself (RFC 6749 section 4.4): no refresh token, and no ID token without a
    /// user.
    func grantToClient(
        _ form: Parameters,
        _ client: RegisteredClient,
        _ key: String?
    ) async throws -> ProviderResponse {
        guard client.isConfidential else {
            throw Refusal.json(.unauthorizedClient, "A client that does not authenticate gets no tokens of its own.")
        }
        let resources = try configuration.resources(in: form)
        let grant = IssuedGrant(
            id: random.identifier(),
            clientID: client.id,
            subject: client.id,
            scopes: try ownScopes(form[.scope], client),
            authenticated: now,
            session: nil,
            expires: now.addingTimeInterval(lifetimes.accessToken.inSeconds)
        )
        try await storage.put(grant.record)
        let ended = Refusal.json(.invalidClient, "The client was removed.")
        return try await issueTokens(
            grant,
            client,
            scopes: grant.scopes,
            nonce: nil,
            .clientCredentials,
            ended,
            TokenTarget(keyThumbprint: key, resources: resources)
        )
    }

    /// The scopes that a client may use in its own name: none that give access to a user's claims.
    ///
    /// Without `scope`, all of them are granted (RFC 6749 section 3.3).
    private func ownScopes(_ text: String?, _ client: RegisteredClient) throws(Refusal) -> [Scope] {
        let own = configuration.additionalScopes.map(\.scope).filter(client.allowedScopes.contains)
        guard let text else { return own }
        let asked = Scope.list(text)
        guard !asked.isEmpty, Set(asked).isSubset(of: own) else {
            let others = asked.filter { !own.contains($0) }.text.logged
            throw Refusal.json(.invalidScope, "The client may not request one of these scopes without a user.")
                .since("Scopes that need a user, or that the client or the configuration does not have: \(others)")
                .mended(by: "Add them to the configuration's scopes and to the client's scope.")
        }
        return asked
    }
}

extension RegisteredClient {
    /// Whether the client is confidential: it can authenticate (RFC 6749 section 2.1).
    var isConfidential: Bool {
        if case .none = authenticationMethod { false } else { true }
    }
}
