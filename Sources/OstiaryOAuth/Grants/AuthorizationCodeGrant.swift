/// A checked authorization response, to be redeemed once (RFC 6749 section 4.1.2).
///
/// Only ``PendingAuthorization/grant(from:)`` makes one, and redeeming it uses it up.
public struct AuthorizationCodeGrant: ~Copyable, Sendable {
    let code: Secret
    let pending: PendingAuthorization

    /// The authorization request that the response belongs to, as it was sent.
    package var request: AuthorizationRequest { pending.request }
}

extension AuthorizationCodeGrant: Grant {
    /// `authorization_code` (RFC 6749 section 4.1.3).
    public static var type: String { "authorization_code" }
    /// Stage `token`.
    public static var stage: SignInError.Stage { .token }

    /// The code, its redirect URI and its verifier (RFC 6749 section 4.1.3, RFC 7636 section 4.5); without `openid`
    /// also the one resource of the authorization request (RFC 8707 section 2.2).
    public var parameters: Parameters {
        var parameters = Parameters([
            .code: code.reveal(),
            .redirectURI: pending.client.redirectURI.description,
            .codeVerifier: pending.proofKey.verifier.reveal(),
        ])
        parameters[.resource] = pending.request.signInResource?.description
        return parameters
    }

    /// An ID token for exactly this request.
    public var expectation: TokenResponse.Expectation {
        var expected = TokenResponse.Expectation.SignIn(
            scopes: pending.request.scopes,
            nonce: pending.request.scopes.contains(.openID) ? pending.nonce : nil,
            maximumAge: pending.request.maximumAge,
            authenticationContext: pending.request.authenticationContext
        )
        expected.resource = pending.request.signInResource
        return .signIn(expected)
    }

    /// The key that the request announced.
    public var dpopKey: DPoPKey? { pending.dpopKey }

    /// Returns the token request for the server that issued the code, as the client that requested it.
    public consuming func exchange() -> TokenRequest<AuthorizationCodeGrant> {
        let client = pending.client
        let server = pending.server
        return TokenRequest(self, client: client, server: server)
    }
}
