/// A refresh token, and the tokens that its answer has to continue (RFC 6749 section 6, OpenID Connect Core section 12).
public struct RefreshGrant: Grant {
    private let refreshToken: Secret
    private let previous: TokenSet
    private let resource: ResourceIndicator?

    /// Takes the tokens to renew.
    ///
    /// - Parameter resource: What the new access token is for (RFC 8707 section 2.2); `nil` renews the one that the
    ///   sign-in gave.
    /// - Throws: `signInRequired` at stage `refresh` when there is no refresh token among them.
    public init(_ tokens: TokenSet, for resource: ResourceIndicator? = nil) throws(SignInError) {
        guard let refreshToken = tokens.refreshToken else { throw SignInError(.refresh, .signInRequired) }
        self.refreshToken = refreshToken
        self.previous = tokens
        self.resource = resource
    }

    /// `refresh_token` (RFC 6749 section 6).
    public static var type: String { "refresh_token" }
    /// Stage `refresh`.
    public static var stage: SignInError.Stage { .refresh }
    /// The refresh token (RFC 6749 section 6) and the resource (RFC 8707 section 2.2).
    public var parameters: Parameters {
        var parameters = Parameters([.refreshToken: refreshToken.reveal()])
        parameters[.resource] = resource?.description
        return parameters
    }
    /// The same issuer, person and client as before (OpenID Connect Core section 12.2).
    public var expectation: TokenExpectation { .refresh(of: previous, for: resource) }
    /// The key that the old tokens are bound to.
    public var dpopKey: DPoPKey? { previous.dpopKey }
}
