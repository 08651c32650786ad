import HTTPTypes
import OstiaryJOSE

/// The token request for any grant (RFC 6749 section 4.1.3 and its siblings).
public struct TokenRequest<G: Grant & ~Copyable>: ~Copyable, Exchange {
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
            throw SignInError(G.stage, .configuration("The profile requires bound tokens, and this grant has no key."))
        }
        if case .refresh(let tokens, _) = grant.expectation {
            // Only the client that received a refresh token presents it, and only to the issuer that issued it.
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
        // Tokens that list the roles of their user are large, and a response that is not read loses a session.
        var request = try EndpointRequest(
            posting: form,
            to: url,
            as: client,
            at: server,
            maximumBodyBytes: 262_144,
            &fresh
        )
        // Only the owner of the flow presents a code or a refresh token a second time.
        request.mayBeRepeated = false
        try request.prove(grant.dpopKey, &fresh)
        return request
    }

    /// Reads a well-formed response without validating it.
    ///
    /// A response to a refresh that brings a new refresh token is never discarded for its form: its faults are thrown
    /// when it is validated.
    ///
    /// - Throws: `refused` with the server's error, with any status, and also beside an access token; `malformed` for
    ///   anything else that is not a token response.
    public func output(from response: EndpointResponse) throws(SignInError) -> TokenResponse {
        guard response.status == .ok else { throw concluded(response.failure(at: G.stage), response.status) }
        let object = try response.jsonObject(at: G.stage)
        let refusal = response.refusal(in: object, expecting: ["access_token"], at: G.stage)
        if let refusal, !NamedCheck.holds("token.error", false) { throw concluded(refusal, response.status) }
        return try TokenResponse(
            object,
            stage: G.stage,
            expectation: grant.expectation,
            dpopKey: grant.dpopKey,
            client: client,
            server: server
        )
    }

    /// The error with the meaning that the description of the server gives its code.
    private func concluded(_ error: SignInError, _ status: HTTPResponse.Status) -> SignInError {
        guard case .refused(var refusal) = error.reason, client.manners.sessionEndingCodes.contains(refusal.code),
            status.kind == .successful || status.kind == .clientError
        else { return error }
        var error = error
        refusal.consequence = .endsSession
        error.reason = .refused(refusal)
        return error
    }
}
