public import OstiaryJOSE

/// The rules that a provider holds clients to, each a named member with the section that it comes from.
///
/// Every default is the rule of the strict provider. A lenient value serves a request that the strict provider refuses,
/// and reports the rule as a ``ProviderEvent``. Manners change how a provider responds; rules decide which requests it
/// serves.
public struct ProviderRules: Sendable, Hashable {
    /// The name for the command line, such as `oidc`.
    public let name: String

    // MARK: Authorization requests

    /// The clients that have to use PKCE (RFC 7636 section 4.4.1, RFC 9700 section 2.1.1).
    ///
    /// Default: every client.
    public var proofKeys: ProofKeys = .everyClient
    /// The treatment of a request without `scope` (RFC 6749 section 3.3).
    ///
    /// Default: refused.
    public var missingScope: MissingScope = .refused
    /// The treatment of a request without `redirect_uri` (RFC 6749 section 3.1.2.3).
    ///
    /// Default: refused.
    public var missingRedirectURI: MissingRedirectURI = .refused
    /// The treatment of scopes that the provider does not know, in requests and registrations (OpenID Connect Core
    /// section 3.1.2.1 advises to ignore them, RFC 6749 section 3.3 allows both).
    ///
    /// Default: refused.
    public var unknownScopes: Unknown = .refused
    /// The treatment of `response_mode=form_post` (OAuth 2.0 Form Post Response Mode).
    ///
    /// Default: refused.
    public var formPost: Acceptance = .refused
    /// The treatment of the parameter `claims` (OpenID Connect Core section 5.5).
    ///
    /// Default: ignored, as any parameter that a server does not know.
    public var claimsParameter: ClaimsParameter = .ignored
    /// The treatment of request objects by value (OpenID Connect Core section 6.1).
    ///
    /// Default: refused.
    public var requestObjects: Acceptance = .refused
    /// The treatment of URIs of a client that the provider fetches, or loads into a page: `jwks_uri`, `request_uri` and
    /// `logo_uri` (OpenID Connect Dynamic Client Registration section 2).
    ///
    /// Default: refused; the page has no logo.
    public var clientReferences: Acceptance = .refused
    /// The clients that have to push their authorization requests (RFC 9126, FAPI 2.0 Security Profile
    /// section 5.3.2.2).
    ///
    /// Default: those that are registered for it.
    public var pushedRequests: Demand = .asRegistered

    // MARK: Client authentication

    /// The methods that a client may authenticate with (FAPI 2.0 Security Profile section 5.3.2.1).
    ///
    /// Default: each registered method, none for public clients included.
    public var authenticationMethods: AuthenticationMethods = .every
    /// The places where a client may send its secret (RFC 6749 section 2.3.1, RFC 7591 section 2).
    ///
    /// Default: the registered one.
    public var secretPlaces: SecretPlaces = .registered
    /// The treatment of a Basic credential that is not form-encoded (RFC 6749 section 2.3.1).
    ///
    /// Default: refused, unless the configuration accepts it.
    public var rawBasicCredentials: Acceptance = .refused
    /// The accepted audiences of client assertions (RFC 7523 section 3, draft-ietf-oauth-rfc7523bis).
    ///
    /// Default: the issuer as one string.
    public var assertionAudience: AssertionAudience = .issuer
    /// The longest validity of client assertions (RFC 7523 section 3).
    ///
    /// Default: that of the configuration.
    public var assertionLifetime: AssertionLifetime = .configured

    // MARK: Tokens and user info

    /// The `redirect_uri` of a token request whose code was requested with one (RFC 6749 section 4.1.3; OAuth 2.1 draft
    /// section 4.1.3 has no such parameter, since PKCE binds the code).
    ///
    /// Default: required.
    public var tokenRedirectURI: Presence = .required

    /// The clients that get tokens only for a key that they prove to have (RFC 9449, FAPI 2.0 Security Profile section
    /// 5.3.2.1).
    ///
    /// Default: those that are registered for it.
    public var senderConstraint: Demand = .asRegistered
    /// The signature algorithms of tokens, proofs and assertions (FAPI 2.0 Security Profile section 5.4.1).
    ///
    /// Default: every one.
    public var algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases)
    /// The treatment of an access token in the form of a user info request (RFC 6750 section 2.2).
    ///
    /// Default: refused.
    public var userInfoForm: Acceptance = .refused
    /// The place of the user's claims (OpenID Connect Core sections 2 and 5.4).
    ///
    /// Default: user info alone.
    public var userClaims: UserClaims = .userInfo
    /// The replacement of refresh tokens (RFC 9700 section 4.14.2, FAPI 2.0 Security Profile section 5.3.2.1).
    ///
    /// Default: each use replaces them.
    public var refreshTokens: RefreshTokens = .replaced

    // MARK: Registration

    /// The treatment of empty texts in a registration, which some clients send for members that they do not use (RFC
    /// 7591 section 2).
    ///
    /// Default: refused.
    public var emptyMetadata: Unknown = .refused

    /// Starts from the strict rules.
    ///
    /// - Parameters:
    ///   - name: The name for the command line.
    ///   - change: The differences. Default: none.
    public init(name: String, _ change: (inout ProviderRules) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }
}

extension ProviderRules {
    /// The clients that have to use PKCE.
    public enum ProofKeys: String, Sendable, Hashable {
        /// Every client.
        case everyClient
        /// Public clients. A confidential client may leave it out.
        case publicClients
    }

    /// The treatment of a request without `scope`.
    public enum MissingScope: String, Sendable, Hashable {
        /// `invalid_scope`.
        case refused
        /// The scopes of the client, without `offline_access`.
        case registered
    }

    /// The treatment of a request without `redirect_uri`.
    public enum MissingRedirectURI: String, Sendable, Hashable {
        /// A page with an error.
        case refused
        /// The client's only redirect URI, for a request that does not get `openid` (OpenID Connect Core
        /// section 3.1.2.1 requires the parameter).
        case registered
    }

    /// Whether a parameter may be left out.
    public enum Presence: String, Sendable, Hashable {
        /// It must not.
        case required
        /// It may, for a code that was requested with PKCE.
        case optional
    }

    /// Whether a request is served.
    public enum Acceptance: String, Sendable, Hashable {
        /// It is refused.
        case refused
        /// It is served.
        case accepted
    }

    /// The treatment of a value that means nothing to the provider.
    public enum Unknown: String, Sendable, Hashable {
        /// The request is refused.
        case refused
        /// The value is left out.
        case ignored
    }

    /// The treatment of the parameter `claims`.
    public enum ClaimsParameter: String, Sendable, Hashable {
        /// It has no effect.
        case ignored
        /// The named claims of the user are in the ID token and the user info.
        case honored
    }

    /// The clients that have to do more than others.
    public enum Demand: String, Sendable, Hashable {
        /// Those that are registered for it.
        case asRegistered
        /// Every client.
        case everyClient
    }

    /// The methods that a client may authenticate with.
    public enum AuthenticationMethods: String, Sendable, Hashable {
        /// Every method, and none for public clients.
        case every
        /// `private_key_jwt` alone; no public clients.
        case privateKeyJWT
    }

    /// The places of a client's secret.
    public enum SecretPlaces: String, Sendable, Hashable {
        /// The registered one.
        case registered
        /// The `Authorization` field or the form, whichever is registered.
        case either
    }

    /// The accepted audiences of client assertions.
    public enum AssertionAudience: String, Sendable, Hashable {
        /// The issuer as one string, or the token endpoint by manners.
        case issuer
        /// The issuer, the token endpoint or the endpoint of the request, alone or in a list.
        case issuerOrEndpoint
    }

    /// The longest validity of client assertions.
    public enum AssertionLifetime: String, Sendable, Hashable {
        /// That of the configuration.
        case configured
        /// At least an hour.
        case hour
    }

    /// The place of the user's claims.
    public enum UserClaims: String, Sendable, Hashable {
        /// User info alone, unless a client is registered for both.
        case userInfo
        /// User info and ID tokens, unless a client is registered for user info alone.
        case userInfoAndIDToken
    }

    /// The replacement of refresh tokens.
    public enum RefreshTokens: String, Sendable, Hashable {
        /// Each use replaces them.
        case replaced
        /// They stay valid until the grant ends.
        case kept
    }
}
