/// What a token response is compared with.
@nonexhaustive
public enum TokenExpectation: Sendable {
    /// A sign-in of this request.
    case signIn(SignIn)
    /// The continuation of these tokens: the same issuer, person and client (OpenID Connect Core section 12.2).
    ///
    /// With a target of its own, the new access token is for that one alone (RFC 8707 section 2.2).
    case refresh(of: TokenSet, for: AccessTokenTarget = .signIn)
    /// Tokens without a person in a browser: an ID token may come, and then answers no `nonce`.
    case tokens(scopes: [Scope])
    /// Another token in exchange for one (RFC 8693 section 2.2.1).
    case exchanged(scopes: [Scope], as: TokenType?)

    /// What a request asked for.
    public struct SignIn: Sendable {
        /// What was asked for; with `openid` the answer must have an ID token.
        public var scopes: [Scope]
        /// What was sent as `nonce`; `nil` when none was, and then none may come back.
        public var nonce: Secret?
        /// How long ago the person may have authenticated, in seconds.
        public var maximumAge: Int?
        /// How the person has to have authenticated.
        public var authenticationContext: AuthorizationRequest.AuthenticationContext
        /// The resource that the access token is for; `nil` for none in particular (RFC 8707 section 2.2).
        public var resource: ResourceIndicator?

        /// Makes an expectation.
        public init(
            scopes: [Scope],
            nonce: Secret?,
            maximumAge: Int? = nil,
            authenticationContext: AuthorizationRequest.AuthenticationContext = .any
        ) {
            self.scopes = scopes
            self.nonce = nonce
            self.maximumAge = maximumAge
            self.authenticationContext = authenticationContext
        }
    }
}
