import HTTPTypes

/// Revokes a token (RFC 7009).
public struct RevocationRequest: Exchange {
    /// The type of the revoked token.
    public enum Kind: String, Sendable, Hashable {
        /// The refresh token: the server ends the whole grant with it.
        case refreshToken = "refresh_token"
        /// The access token alone.
        case accessToken = "access_token"
    }

    let token: Secret
    let kind: Kind
    let client: Client
    let server: AuthorizationServer

    /// Revokes one token.
    public init(_ token: Secret, kind: Kind, client: Client, server: AuthorizationServer) {
        self.token = token
        self.kind = kind
        self.client = client
        self.server = server
    }

    /// Stage `revocation`.
    public var stage: SignInError.Stage { .revocation }

    /// A POST with the token in the form.
    public func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        guard let url = server.revocationEndpoint else {
            throw SignInError(.revocation, .unsupported("a revocation_endpoint"))
        }
        return try EndpointRequest(
            posting: Parameters([.token: token.reveal(), .tokenTypeHint: kind.rawValue]),
            to: url,
            as: client,
            at: server,
            deadline: .seconds(10),
            &fresh
        )
    }

    /// Accepts any status of success; the body is not read (RFC 7009 section 2.2).
    ///
    /// - Throws: `unsupported` when the server answers a public client's access token with 401: it revokes tokens of
    ///   clients that authenticate, and a repetition would not help. `refused` and `server` otherwise.
    public func output(from response: EndpointResponse) throws(SignInError) {
        let isPublic = client.authentication.method == ClientAuthentication.none.method
        if response.status == .unauthorized, kind == .accessToken, isPublic {
            throw SignInError(
                .revocation,
                .unsupported("the revocation of a public client's access token: it responded with 401")
            )
        }
        guard response.status.kind == .successful else { throw response.failure(at: .revocation) }
    }
}
