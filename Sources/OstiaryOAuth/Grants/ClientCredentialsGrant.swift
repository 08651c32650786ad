/// A client credentials grant: the client acts in its own name, without a user (RFC 6749 section 4.4).
public struct ClientCredentialsGrant: Grant {
    private let scopes: [Scope]
    private let resources: [ResourceIndicator]
    /// The key that the token will be bound to.
    public let dpopKey: DPoPKey?

    /// Makes a grant for a token of the client itself.
    ///
    /// - Parameters:
    ///   - client: The client, which authenticates.
    ///   - scopes: The requested scopes; empty leaves them to the server.
    ///   - resources: The resource servers of the token (RFC 8707 section 2.2).
    /// - Throws: `configuration` at stage `token` for a client that does not authenticate.
    public init(
        for client: Client,
        scopes: [Scope] = [],
        resources: [ResourceIndicator] = []
    ) throws(SignInError) {
        guard client.authentication.method != ClientAuthentication.none.method else {
            throw SignInError(
                .token,
                .configuration("A client has to authenticate to get a token of its own (RFC 6749 section 4.4).")
            )
        }
        self.scopes = scopes
        self.resources = resources
        dpopKey = try client.senderConstraint.makeKey()
    }

    /// `client_credentials` (RFC 6749 section 4.4.2).
    public static var type: String { "client_credentials" }
    /// Stage `token`.
    public static var stage: SignInError.Stage { .token }
    /// The scopes and resources.
    public var parameters: Parameters {
        var parameters = Parameters()
        if !scopes.isEmpty { parameters[.scope] = scopes.text }
        for resource in resources { parameters.append(resource.description, for: .resource) }
        return parameters
    }
    /// An access token of these scopes.
    public var expectation: TokenResponse.Expectation { .tokens(scopes: scopes) }
}
