extension SignInError {
    /// A comparison that protects the sign-in, named by the parameter, claim or header that it looks at.
    ///
    /// One security rule, one case, one test.
    public enum Check: String, Sendable, Hashable, CaseIterable {
        /// The metadata belongs to another issuer (RFC 8414 section 3.3).
        case metadataIssuer = "issuer"
        /// The redirect, or the registration, is not for our redirect URI (RFC 9700 section 4.1.3).
        case redirectURI = "redirect_uri"
        /// A parameter that must occur once occurs twice (RFC 6749 section 3.1).
        case repeatedParameter = "repeated_parameter"
        /// A parameter of another kind of response came, such as a token in the front channel (RFC 9700 section 2.1.2).
        case unexpectedParameter = "unexpected_parameter"
        /// The redirect is not the response to this request (RFC 6749 section 10.12).
        case state
        /// The redirect, or the ID token, comes from another issuer (RFC 9207 section 2.4).
        case issuer = "iss"
        /// A scope that the server does not list, or did not grant (RFC 6749 section 3.3).
        case scope
        /// The response has no ID token though the request had the scope `openid` (OpenID Connect Core section
        /// 3.1.3.3).
        case idToken = "id_token"
        /// The token's type is not the requested one (RFC 6749 section 7.1).
        case tokenType = "token_type"
        /// The token issued in a token exchange is not of the requested type (RFC 8693 section 2.2.1).
        case issuedTokenType = "issued_token_type"
        /// The response is about another client (RFC 7592 section 3).
        case client = "client_id"
        /// The response leads to another server.
        case origin
        /// The metadata belongs to another resource (RFC 9728 section 3.3).
        case resource
        /// The signature's algorithm is not allowed (RFC 8725 section 3.1).
        case algorithm = "alg"
        /// The token is of another kind (RFC 8725 section 3.11).
        case type = "typ"
        /// The token has an extension that must be understood (RFC 7515 section 4.1.11).
        case critical = "crit"
        /// No key of the issuer fits (OpenID Connect Core section 10.1).
        case key = "kid"
        /// The signature is wrong (OpenID Connect Core section 3.1.3.7 rule 6).
        case signature
        /// The token has an audience besides this client (OpenID Connect Core section 3.1.3.7 rule 3).
        case audience = "aud"
        /// The token was issued to another client (OpenID Connect Core section 3.1.3.7 rules 4 and 5).
        case authorizedParty = "azp"
        /// The subject is missing or is another user (OpenID Connect Core sections 2, 5.3.2 and 12.2).
        case subject = "sub"
        /// The token has expired, or has no expiry (OpenID Connect Core section 3.1.3.7 rule 9).
        case expiry = "exp"
        /// The token is not valid yet (RFC 7519 section 4.1.5).
        case notBefore = "nbf"
        /// The token was issued in the future or too long ago, or has no `iat` (OpenID Connect Core section 3.1.3.7
        /// rule 10).
        case issuedAt = "iat"
        /// The token belongs to another request (OpenID Connect Core section 3.1.3.7 rule 11).
        case nonce
        /// The user authenticated too long ago (OpenID Connect Core section 3.1.3.7 rule 13).
        case authenticationTime = "auth_time"
        /// The user authenticated in another way (OpenID Connect Core section 3.1.3.7 rule 12).
        case authenticationContext = "acr"
        /// The access token is not the one that belongs to the ID token (OpenID Connect Core section 3.1.3.8).
        case accessTokenHash = "at_hash"
        /// The UserInfo response lacks the registered signature (OpenID Connect Core section 5.3.2).
        case signedUserInfo = "userinfo_signed_response_alg"
    }
}
