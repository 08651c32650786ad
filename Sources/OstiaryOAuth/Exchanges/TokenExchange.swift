import HTTPTypes
import OstiaryJOSE

/// The token request for any grant (RFC 6749 section 4.1.3 and its siblings).
public struct TokenExchange<G: Grant & ~Copyable>: ~Copyable, Exchange {
    let grant: G
    let client: Client
    let server: AuthorizationServer

    /// Uses a grant up.
    public init(_ grant: consuming G, client: Client, server: AuthorizationServer) {
        self.grant = grant
        self.client = client
        self.server = server
    }

    /// The stage of its grant.
    public var stage: SignInError.Stage { G.stage }

    /// A POST with the grant and the client's authentication in the form.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        let mayBeBearer = !client.profile.requirements.contains(.senderConstraint)
        guard NamedCheck.holds("token.bound", mayBeBearer || grant.dpopKey != nil) else {
            throw SignInError(G.stage, .configuration("The profile asks for bound tokens, and this grant has no key."))
        }
        if case .refresh(let tokens, _) = grant.expectation {
            // A refresh token goes to nobody but the issuer that gave it, from nobody but the client that got it.
            guard NamedCheck.holds("refresh.issuer", tokens.issuer == server.issuer) else {
                throw SignInError(G.stage, .mismatch(.issuer))
            }
            guard NamedCheck.holds("refresh.client", tokens.clientID == client.id) else {
                throw SignInError(G.stage, .mismatch(.authorizedParty))
            }
        }
        guard let url = server.tokenEndpoint else { throw SignInError(G.stage, .unsupported("a token_endpoint")) }
        var form = Parameters([.grantType: G.type])
        for pair in grant.parameters.pairs { form.append(pair.value, for: pair.name) }
        var request = try EndpointRequest(posting: form, to: url, as: client, at: server, &fresh)
        try request.prove(grant.dpopKey, &fresh)
        return request
    }

    /// The response, of the right form and not yet checked.
    public func output(from response: EndpointResponse) throws(SignInError) -> TokenResponse {
        guard response.status == .ok else { throw response.failure(at: G.stage) }
        return try TokenResponse(
            try response.jsonObject(at: G.stage),
            stage: G.stage,
            expectation: grant.expectation,
            dpopKey: grant.dpopKey,
            client: client,
            server: server
        )
    }
}
