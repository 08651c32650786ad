/// A refresh token, and the tokens that its answer has to continue (RFC 6749 section 6, OpenID Connect Core section 12).
public struct RefreshGrant: Grant {
    private let refreshToken: Secret
    private let previous: TokenSet

    /// Takes the tokens to renew.
    ///
    /// - Throws: `signInRequired` at stage `refresh` when there is no refresh token among them.
    public init(_ tokens: TokenSet) throws(SignInError) {
        guard let refreshToken = tokens.refreshToken else { throw SignInError(.refresh, .signInRequired) }
        self.refreshToken = refreshToken
        self.previous = tokens
    }

    /// `refresh_token` (RFC 6749 section 6).
    public static var type: String { "refresh_token" }
    /// Stage `refresh`.
    public static var stage: SignInError.Stage { .refresh }
    /// The refresh token (RFC 6749 section 6).
    public var parameters: Parameters { Parameters([.refreshToken: refreshToken.reveal()]) }
    /// The same issuer, person and client as before (OpenID Connect Core section 12.2).
    public var expectation: TokenExpectation { .refresh(of: previous) }
}
