public import OstiaryOAuth

/// The observable differences of one provider in the field from the strict development provider, as a value.
///
/// A ``ProviderConfiguration`` carries the value and the endpoints read it. Every default is the strict provider's own
/// behavior. A ``Scenario`` is applied on top: it can change a manner, and its other changes come last.
///
/// A named value, such as ``keycloak``, describes that provider without further configuration, unless the title or the
/// text of a manner says otherwise. ``sources`` names the publication or the recording of each fact.
public struct ProviderManners: Sendable, Hashable {
    /// The name for the command line, such as `keycloak`.
    public let name: String
    /// The provider's own name, with the version if a recording names it.
    public let title: String
    /// The public source of each manner that is not the strict provider's: a URL, or the path of a recording in this
    /// project.
    public var sources: [Manner: String] = [:]

    // MARK: Issuer and metadata

    /// The issuer's path below the origin, with a tenant in it where the provider has tenants.
    ///
    /// Default: empty.
    public var issuerPath = ""
    /// Endpoints that the provider does not have.
    ///
    /// Default: none.
    public var absentEndpoints: Set<Route> = []
    /// Metadata members that the provider leaves out though it supports their features.
    ///
    /// Default: none.
    public var absentMetadata: Set<String> = []
    /// Whether redirects carry `iss`, and the metadata says so (RFC 9207).
    ///
    /// Default: both.
    public var responseIssuer: ResponseIssuer = .announced
    /// The responses that pages of other origins may read.
    ///
    /// Default: metadata and keys.
    public var crossOrigin: CrossOrigin = .documents

    // MARK: Authorization

    /// The treatment of the scope `offline_access` (OpenID Connect Core section 11).
    ///
    /// Default: granted.
    public var offlineAccess: OfflineAccessBehavior = .granted
    /// The condition for a refresh token.
    ///
    /// Default: `offline_access`, or the dialect's rule.
    public var refreshTokenCondition: RefreshTokenCondition = .offlineAccess
    /// The parameter that names the audience of an access token.
    ///
    /// Default: `resource` (RFC 8707).
    public var audienceParameter: AudienceParameter = .resource
    /// Scopes that need `response_mode=form_post`; with any, that mode is offered.
    ///
    /// Default: none, and only `query` is.
    public var formPostScopes: Set<Scope> = []

    // MARK: Client authentication

    /// The required audience of a client assertion (RFC 7523 section 3).
    ///
    /// Default: the issuer.
    public var clientAssertionAudience: ClientAssertionAudience = .issuer
    /// The form of client secrets.
    ///
    /// Default: the registered one.
    public var clientSecrets: ClientSecrets = .registered

    // MARK: Token responses

    /// The type of `expires_in`.
    ///
    /// Default: a number.
    public var expiresIn: ExpiresIn = .number
    /// The `token_type` of tokens that are not bound to a key.
    ///
    /// Default: `Bearer`.
    public var tokenType = "Bearer"
    /// The life of a refresh token.
    ///
    /// Default: valid once, with the grace period of ``ProviderConfiguration/Lifetimes``.
    public var refreshTokens: RefreshTokens = .once(grace: nil)
    /// Whether a refresh brings an ID token.
    ///
    /// Default: it does.
    public var idTokenAtRefresh: Presence = .present
    /// Whether a token exchange names `issued_token_type` (RFC 8693 section 2.2.1 requires it).
    ///
    /// Default: it does.
    public var issuedTokenType: Presence = .present

    // MARK: Access tokens

    /// The form of access tokens.
    ///
    /// Default: JSON Web Tokens (RFC 9068).
    public var accessTokens: AccessTokens = .jwt
    /// The `typ` of access tokens that are JSON Web Tokens; `nil` for none.
    ///
    /// Default: `at+jwt`.
    public var accessTokenHeaderType: String? = "at+jwt"
    /// Claims that access tokens lack.
    ///
    /// Default: none.
    public var absentAccessTokenClaims: Set<String> = []

    // MARK: ID tokens, user info and keys

    /// The `auth_time` of ID tokens.
    ///
    /// Default: that of the sign-in, in each of them.
    public var authenticationTime: AuthenticationTime = .ofSignIn
    /// Whether a refreshed ID token repeats the `nonce` (OpenID Connect Core section 12.2 advises against it).
    ///
    /// Default: it does not.
    public var nonceAtRefresh: Presence = .absent
    /// Whether ID tokens have `at_hash`.
    ///
    /// Default: they have.
    public var accessTokenHash: Presence = .present
    /// Whether ID tokens also have the user's claims.
    ///
    /// Default: only user info has.
    public var userClaimsInIDToken: Presence = .absent
    /// Boolean claims that are sent as strings.
    ///
    /// Default: none.
    public var textualClaims: Set<String> = []
    /// Whether the header of an ID token names its key.
    ///
    /// Default: it does.
    public var keyID: Presence = .present
    /// The key that the header of a refreshed ID token names.
    ///
    /// Default: the one that signed it.
    public var keyIDAtRefresh: KeyIDAtRefresh = .ofSigningKey
    /// Members that the keys of the key set lack.
    ///
    /// Default: none.
    public var absentKeyMembers: Set<String> = []

    // MARK: Errors, revocation and the end of a session

    /// The members of an error response.
    ///
    /// Default: `error` and `error_description`.
    public var errorBody: ErrorBody = .standard
    /// The form of a refusal at the user info endpoint.
    ///
    /// Default: a challenge without a body (RFC 6750 section 3).
    public var userInfoRefusal: UserInfoRefusal = .challenge
    /// The effect of revoking an access token (RFC 7009 section 2.1).
    ///
    /// Default: that token ends.
    public var accessTokenRevocation: AccessTokenRevocation = .endsToken
    /// Whether a public client may revoke its tokens.
    ///
    /// Default: it may.
    public var publicClientRevocation: PublicClientRevocation = .allowed
    /// The form of a sign-out request.
    ///
    /// Default: OpenID Connect RP-Initiated Logout.
    public var endSession: EndSession = .standard

    /// Starts from the strict provider.
    ///
    /// - Parameters:
    ///   - name: The name for the command line.
    ///   - title: The provider's own name. Default: `name`.
    ///   - change: The differences. Default: none.
    public init(name: String, title: String? = nil, _ change: (inout ProviderManners) -> Void = { _ in }) {
        self.name = name
        self.title = title ?? name
        change(&self)
    }

    /// The strict provider's own behaviour.
    public static let strict = ProviderManners(name: "strict", title: "Ostiary's strict provider")
}

extension ProviderManners {
    /// Every provider that is described, by name.
    public static let all: [ProviderManners] = [
        .apple, .auth0, .cognito, .cxf, .entra, .entraV1, .glewlwyd, .google, .hydra, .keycloak, .logto, .oidcProvider,
        .okta,
        .spring,
    ]

    /// The described provider with a name; `nil` for none.
    public static func named(_ name: String) -> ProviderManners? { all.first { $0.name == name } }

    /// Returns the issuer of a provider with these manners at an origin.
    ///
    /// - Parameter origin: Scheme, host and port, without a trailing slash.
    /// - Returns: The issuer, with the path that such a server has.
    /// - Throws: `configuration` when the origin is not a valid one.
    public func issuer(at origin: Issuer) throws(SignInError) -> Issuer {
        issuerPath.isEmpty ? origin : try Issuer(origin.description + issuerPath)
    }
}

extension ProviderManners: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
