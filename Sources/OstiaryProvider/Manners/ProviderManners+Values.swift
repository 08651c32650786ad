extension ProviderManners {
    /// Whether something is there.
    public enum Presence: String, Sendable, Hashable {
        /// It is.
        case present
        /// It is not.
        case absent
    }

    /// The parameter `iss` of redirects (RFC 9207).
    public enum ResponseIssuer: String, Sendable, Hashable {
        /// Every redirect has it, and the metadata says so.
        case announced
        /// No redirect has it, and the metadata does not speak of it.
        case absent
    }

    /// The responses that pages of other origins may read.
    public enum CrossOrigin: String, Sendable, Hashable {
        /// Metadata and keys.
        case documents
        /// None.
        case nothing
        /// Metadata and keys. A token request with an `Origin` field is refused.
        case documentsAndNoTokens
    }

    /// The condition under which a sign-in brings a refresh token.
    public enum RefreshTokenCondition: String, Sendable, Hashable {
        /// `offline_access` was granted; a dialect may have a rule of its own.
        case offlineAccess
        /// None.
        case always
        /// The authorization request has `access_type=offline`.
        case accessType
        /// `offline_access` was granted, and the client authenticates.
        case confidentialClient
    }

    /// The parameter that names the audience of an access token.
    public enum AudienceParameter: String, Sendable, Hashable {
        /// `resource` (RFC 8707).
        case resource
        /// `audience`, in the authorization request alone. `resource` is ignored.
        case audience
    }

    /// The audience of client assertions.
    public enum ClientAssertionAudience: String, Sendable, Hashable {
        /// The issuer (draft-ietf-oauth-rfc7523bis).
        case issuer
        /// The URL of the token endpoint.
        case tokenEndpoint
    }

    /// The form of client secrets.
    public enum ClientSecrets: String, Sendable, Hashable {
        /// A text that was registered.
        case registered
        /// A JSON Web Token that the client signs with a registered key:
        /// ``RegisteredClient/AuthenticationMethod/signedSecret(keys:developer:)``.
        case signed
    }

    /// The type of `expires_in`.
    public enum ExpiresIn: String, Sendable, Hashable {
        /// A number (RFC 6749 section 5.1).
        case number
        /// A string of digits.
        case text
    }

    /// The life of a refresh token.
    public enum RefreshTokens: Sendable, Hashable {
        /// Valid once, and replaced; a second use ends the grant, except within the grace period. `nil`
        /// takes ``ProviderConfiguration/Lifetimes/refreshTokenReuse``.
        case once(grace: Duration?)
        /// Replaced at each use; earlier ones stay valid.
        case renewed
        /// Valid until the grant ends; each response repeats it.
        case repeated
        /// Valid until the grant ends; the response of a refresh has none.
        case kept
    }

    /// The form of access tokens.
    public enum AccessTokens: String, Sendable, Hashable {
        /// A JSON Web Token.
        case jwt
        /// A random text.
        case opaque
        /// A random text, unless the token is for a resource that the client named.
        case opaqueWithoutAudience
    }

    /// The `auth_time` of ID tokens.
    public enum AuthenticationTime: String, Sendable, Hashable {
        /// The time of the sign-in, also after a refresh (OpenID Connect Core section 12.2).
        case ofSignIn
        /// The time at which the user last authenticated in the session at the provider: it moves when the user
        /// authenticates there for another client.
        case ofSession
        /// The time of the sign-in, only when the authorization request has `max_age`.
        case onRequest
    }

    /// The key that the header of a refreshed ID token names.
    public enum KeyIDAtRefresh: String, Sendable, Hashable {
        /// The one that signed it.
        case ofSigningKey
        /// The one that signed the first ID token of the sign-in, also when another key signs by now.
        case ofFirstIDToken
    }

    /// The members of an error response.
    public enum ErrorBody: String, Sendable, Hashable {
        /// `error` and `error_description`.
        case standard
        /// `error` alone.
        case withoutDescription
        /// Also `error_codes`, `timestamp`, `trace_id` and `correlation_id`; the description has several lines.
        case traced
        /// Also `code` and `message`.
        case coded
    }

    /// The form of a refusal at the user info endpoint.
    public enum UserInfoRefusal: Sendable, Hashable {
        /// A challenge without a body.
        case challenge
        /// A challenge with a JSON body.
        case challengeAndBody
        /// A JSON body without a challenge.
        case body
        /// A challenge and a JSON body; an invalid token has an error code of the provider's own.
        case other(code: String)
    }

    /// The effect of revoking an access token.
    public enum AccessTokenRevocation: String, Sendable, Hashable {
        /// That token ends.
        case endsToken
        /// The grant ends, with its refresh token.
        case endsGrant
        /// None: the request succeeds, and the token stays valid.
        case ignored
        /// None: the request is refused with `unsupported_token_type`.
        case unsupported
    }

    /// The response to a public client that revokes a token.
    public enum PublicClientRevocation: String, Sendable, Hashable {
        /// The token ends.
        case allowed
        /// 401 without a body; the token stays.
        case refused
    }

    /// The form of a sign-out request.
    public enum EndSession: String, Sendable, Hashable {
        /// As OpenID Connect RP-Initiated Logout says.
        case standard
        /// The same, and the user must always consent.
        case asksUser
        /// The same, and `id_token_hint` is required.
        case requiresIDTokenHint
        /// `client_id` and `logout_uri` are required; the redirect has no `state`.
        case logoutURI
    }
}
