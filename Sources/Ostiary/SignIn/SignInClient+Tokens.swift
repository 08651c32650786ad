public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SignInClient {
    /// Requests a token for the client itself, without a user (RFC 6749 section 4.4); it is not stored.
    ///
    /// - Parameters:
    ///   - scopes: The requested scopes; empty leaves them to the server.
    ///   - resources: The resource servers of the token (RFC 8707).
    /// - Returns: The client's token, without an identity.
    /// - Throws: `configuration` for a public client, `refused` when the server rejects the request.
    public func clientCredentials(
        scopes: [Scope] = [],
        resources: [ResourceIndicator] = []
    ) async throws(SignInError) -> TokenSet {
        let grant = try ClientCredentialsGrant(for: client, scopes: scopes, resources: resources)
        let server = try await directory.server()
        try client.profile.check(client, at: server, .token)
        return try await redeem(TokenRequest(grant, client: client, server: server))
    }

    /// Exchanges one of the app's tokens for another (RFC 8693); the new token is not stored.
    ///
    /// - Parameters:
    ///   - subject: The token that identifies the subject of the new token.
    ///   - actor: The token of the acting party; `nil` for the client itself.
    ///   - audiences: The names of the services that the new token is for.
    ///   - resources: The URIs of the services that the new token is for.
    ///   - scopes: The requested scopes; empty leaves them to the server.
    ///   - requestedType: The required type of the new token; a response with another type is rejected.
    ///   - additionalParameters: Parameters of a server's own.
    /// - Returns: The new token.
    /// - Throws: `refused` when the server rejects the request, `mismatch(.issuedTokenType)` when the token is of
    ///   another type.
    public func exchange(
        _ subject: TokenExchangeGrant.Token,
        actor: TokenExchangeGrant.Token? = nil,
        audiences: [String] = [],
        resources: [ResourceIndicator] = [],
        scopes: [Scope] = [],
        requestedType: TokenType? = nil,
        additionalParameters: Parameters = Parameters()
    ) async throws(SignInError) -> TokenSet {
        let grant = try TokenExchangeGrant(
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
        return try await redeem(TokenRequest(grant, client: client, server: server))
    }

    /// Returns the state of a token according to the server (RFC 7662).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - hint: The probable type of the token.
    ///   - endpoint: An https URL, or one on a loopback host, for a server whose metadata names no introspection
    ///     endpoint: some serve it on a port that the public does not reach. The token and the client's credentials are
    ///     sent there. Default: the `introspection_endpoint` of the metadata (RFC 8414 section 2).
    /// - Returns: The server's description, which may say no more than that the token is not active.
    /// - Throws: `unsupported` when the server has no such endpoint, `refused` when this client may not introspect
    ///   tokens.
    public func introspect(
        _ token: Secret,
        hint: RevocationRequest.Kind? = nil,
        at endpoint: URL? = nil
    ) async throws(SignInError) -> IntrospectionRequest.TokenDescription {
        var server =
            if endpoint == nil { try await directory.server(with: .introspection) } else {
                try await directory.server()
            }
        if let endpoint { server.introspectionEndpoint = endpoint }
        return try await transport.perform(
            IntrospectionRequest(token, hint: hint, client: client, server: server),
            in: context
        )
    }

    /// Revokes a token that the app obtained elsewhere (RFC 7009); a session's own are revoked when it ends.
    ///
    /// - Throws: The server's error; an unknown token is not an error.
    public func revoke(_ token: Secret, kind: RevocationRequest.Kind) async throws(SignInError) {
        let server = try await directory.server(with: .revocation)
        try await transport.perform(RevocationRequest(token, kind: kind, client: client, server: server), in: context)
    }
}
