/// A refresh token, and the tokens that its response must continue (RFC 6749 section 6, OpenID Connect Core section
/// 12).
public struct RefreshGrant: Grant {
    private let refreshToken: Secret
    /// The tokens that the response must continue.
    let previous: TokenSet
    private let target: AccessTokenTarget

    /// Takes the tokens to refresh.
    ///
    /// - Parameters:
    ///   - tokens: The tokens of the session.
    ///   - resource: The resource server of the new access token (RFC 8707 section 2.2); `nil` refreshes the sign-in's
    ///     own access token.
    /// - Throws: `signInRequired` at stage `refresh` when there is no refresh token among them.
    public init(_ tokens: TokenSet, for resource: ResourceIndicator? = nil) throws(SignInError) {
        try self.init(tokens, for: AccessTokenTarget(resource))
    }

    /// Takes the tokens to refresh, and the target of the new access token.
    ///
    /// - Throws: `signInRequired` at stage `refresh` when there is no refresh token among them.
    public init(_ tokens: TokenSet, for target: AccessTokenTarget) throws(SignInError) {
        guard let refreshToken = tokens.refreshToken else { throw SignInError(.refresh, .signInRequired) }
        self.init(refreshToken, of: tokens, for: target)
    }

    /// Takes a refresh token that may be newer than the one among the tokens.
    ///
    /// It came with a response that failed a check or could not be checked. The next response must therefore prove that
    /// it belongs to the same user.
    package init(_ refreshToken: Secret, of tokens: TokenSet, for target: AccessTokenTarget) {
        self.refreshToken = refreshToken
        self.previous = refreshToken == tokens.refreshToken ? tokens : tokens.rotated(to: refreshToken)
        self.target = target
    }

    /// `refresh_token` (RFC 6749 section 6).
    public static var type: String { "refresh_token" }
    /// Stage `refresh`.
    public static var stage: SignInError.Stage { .refresh }
    /// The refresh token (RFC 6749 section 6), the resource (RFC 8707 section 2.2) and the server's own parameters.
    public var parameters: Parameters {
        var parameters = Parameters([.refreshToken: refreshToken.reveal()])
        let resource = target.isSignIn ? previous.signInResource : target.resource
        parameters[.resource] = resource?.description
        for pair in target.parameters.pairs { parameters.append(pair.value, for: pair.name) }
        return parameters
    }
    /// The same issuer, user and client as before (OpenID Connect Core section 12.2).
    public var expectation: TokenResponse.Expectation { .refresh(of: previous, for: target) }
    /// The key that the old tokens are bound to.
    public var dpopKey: DPoPKey? { previous.dpopKey }
}
