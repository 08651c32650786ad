public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SignInClient {
    /// A token of the client's own, with nobody signed in (RFC 6749 section 4.4); it is not stored.
    ///
    /// - Parameters:
    ///   - scopes: What for; empty leaves it to the server.
    ///   - resources: Which resource servers (RFC 8707).
    /// - Throws: `configuration` for a public client, `refused` when the server says no.
    public func clientCredentials(
        scopes: [Scope] = [],
        resources: [ResourceIndicator] = []
    ) async throws(SignInError) -> TokenSet {
        let grant = try ClientCredentialsGrant(for: client, scopes: scopes, resources: resources)
        let server = try await directory.server()
        try client.profile.check(client, at: server, .token)
        return try await redeem(TokenExchange(grant, client: client, server: server))
    }

    /// Another token for one that the app has (RFC 8693); it is not stored.
    ///
    /// - Parameters:
    ///   - subject: Whom the new token will be about.
    ///   - actor: Who will act for them; `nil` for the client itself.
    ///   - audiences: Names of the services that the new token is for.
    ///   - resources: Addresses of the services that the new token is for.
    ///   - scopes: What for; empty leaves it to the server.
    ///   - requestedType: What to get; an answer with another kind is refused.
    ///   - additionalParameters: Parameters of a server's own.
    /// - Throws: `refused` when the server says no, `mismatch(.issuedTokenType)` when the token is of another kind.
    public func exchange(
        _ subject: SecurityTokenGrant.Token,
        actor: SecurityTokenGrant.Token? = nil,
        audiences: [String] = [],
        resources: [ResourceIndicator] = [],
        scopes: [Scope] = [],
        requestedType: TokenType? = nil,
        additionalParameters: Parameters = Parameters()
    ) async throws(SignInError) -> TokenSet {
        let grant = try SecurityTokenGrant(
            of: subject,
            for: client,
            actor: actor,
            audiences: audiences,
            resources: resources,
            scopes: scopes,
            requestedType: requestedType,
            additionalParameters: additionalParameters
        )
        let server = try await directory.server()
        try client.profile.check(client, at: server, .token)
        return try await redeem(TokenExchange(grant, client: client, server: server))
    }

    /// What the server says of a token (RFC 7662).
    ///
    /// - Parameters:
    ///   - hint: What kind of token it probably is.
    ///   - endpoint: An https URL, or one on this machine, for a server whose metadata names no introspection endpoint: some
    ///     serve it on a port that the public does not reach. The token and the client's credentials are sent there.
    ///     Default: the `introspection_endpoint` of the metadata (RFC 8414 section 2).
    /// - Throws: `unsupported` when the server has no such endpoint, `refused` when this client may not ask.
    public func introspect(
        _ token: Secret,
        hint: Revocation.Kind? = nil,
        at endpoint: URL? = nil
    ) async throws(SignInError) -> TokenDescription {
        var server =
            if endpoint == nil { try await directory.server(with: .introspection) } else {
                try await directory.server()
            }
        if let endpoint { server.introspectionEndpoint = endpoint }
        return try await transport.perform(
            Introspection(token, hint: hint, client: client, server: server),
            in: context
        )
    }

    /// Revokes a token that the app has from elsewhere (RFC 7009); a session's own are revoked when it ends.
    ///
    /// - Throws: What the server answered; an unknown token is no error.
    public func revoke(_ token: Secret, kind: Revocation.Kind) async throws(SignInError) {
        let server = try await directory.server(with: .revocation)
        try await transport.perform(Revocation(token, kind: kind, client: client, server: server), in: context)
    }
}
