extension TokenResponse {
    /// The values that a token response is checked against.
    @nonexhaustive
    public enum Expectation: Sendable {
        /// A sign-in of this request.
        case signIn(SignIn)
        /// The continuation of these tokens: the same issuer, user and client (OpenID Connect Core section 12.2).
        ///
        /// With another target than the sign-in, the new access token is for that target alone (RFC 8707 section 2.2).
        case refresh(of: TokenSet, for: AccessTokenTarget = .signIn)
        /// Tokens without a browser: an ID token is optional and must not have a `nonce`.
        case tokens(scopes: [Scope])
        /// Another token in exchange for one (RFC 8693 section 2.2.1).
        case exchanged(scopes: [Scope], as: TokenType?)

        /// The values of a sign-in's request.
        public struct SignIn: Sendable {
            /// The requested scopes; with `openid` the response must have an ID token.
            public var scopes: [Scope]
            /// The `nonce` of the request; `nil` when none was sent, and then the ID token must not have one.
            public var nonce: Secret?
            /// The maximum age of the user's authentication.
            public var maximumAge: Duration?
            /// The required or preferred method of authentication.
            public var authenticationContext: AuthorizationRequest.AuthenticationContext
            /// The resource that the access token is for; `nil` for none in particular (RFC 8707 section 2.2).
            public var resource: ResourceIndicator?

            /// Makes an expectation.
            public init(
                scopes: [Scope],
                nonce: Secret?,
                maximumAge: Duration? = nil,
                authenticationContext: AuthorizationRequest.AuthenticationContext = .any
            ) {
                self.scopes = scopes
                self.nonce = nonce
                self.maximumAge = maximumAge
                self.authenticationContext = authenticationContext
            }
        }
    }
}
