public import OstiaryJOSE
public import OstiaryOAuth

/// A client as the provider knows it (RFC 7591 section 2).
public struct RegisteredClient: Sendable {
    /// The client's only authentication method.
    public enum AuthenticationMethod: Sendable {
        /// Not at all: a public client, such as an app (RFC 6749 section 2.1).
        case none
        /// With a secret in the `Authorization` field.
        case clientSecretBasic(SecretDigest)
        /// With a secret in the form.
        case clientSecretPost(SecretDigest)
        /// With an assertion that one of its keys signed (RFC 7523); `algorithm` is the only one accepted, `nil` for
        /// any.
        case privateKeyJWT(keys: JSONWebKeySet, algorithm: SignatureAlgorithm?)
        /// With a secret in the form that is a JSON Web Token, signed with ES256 by one of these keys and valid for at
        /// most half a year: its `iss` is the developer, its `sub` the client, its `aud` the issuer. Sign in with Apple
        /// has such secrets.
        case signedSecret(keys: JSONWebKeySet, developer: String)
        /// An attestation by one of these attesters, and a proof that the instance has the attested key
        /// (draft-ietf-oauth-attestation-based-client-auth-10).
        case attestation(attesterKeys: JSONWebKeySet)

        /// The name in the IANA registry.
        public var name: String {
            switch self {
            case .none: "none"
            case .clientSecretBasic: "client_secret_basic"
            case .clientSecretPost, .signedSecret: "client_secret_post"
            case .privateKeyJWT: "private_key_jwt"
            case .attestation: "attest_jwt_client_auth"
            }
        }
    }

    /// The grant types that a client may use.
    public enum GrantType: String, Sendable, Hashable, CaseIterable {
        /// An authorization code (RFC 6749 section 4.1).
        case authorizationCode = "authorization_code"
        /// A refresh token (RFC 6749 section 6).
        case refreshToken = "refresh_token"
        /// The client's own authentication, without a user (RFC 6749 section 4.4).
        case clientCredentials = "client_credentials"
        /// A device code that the user approved on another device (RFC 8628 section 3.4).
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        /// Another token (RFC 8693 section 2.1).
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    }

    /// The client identifier.
    public var id: String
    /// The name on the pages.
    public var name: String
    /// The client's authentication method.
    public var authenticationMethod: AuthenticationMethod
    /// The redirect URIs, compared exactly but for the port of a loopback address (RFC 8252 section 7.3).
    public var redirectURIs: [RedirectURI]
    /// The URIs to which the user may be sent after signing out, compared in the same way.
    public var postLogoutRedirectURIs: [RedirectURI]
    /// The scopes that it may request; others are left out of the grant.
    public var allowedScopes: [Scope]
    /// The grant types that it may use.
    public var grantTypes: Set<GrantType>
    /// The signature algorithm of its ID tokens; `nil` for the provider's default.
    public var idTokenAlgorithm: SignatureAlgorithm?
    /// The signature algorithm of its UserInfo responses; `nil` for plain JSON.
    public var userInfoAlgorithm: SignatureAlgorithm?
    /// Whether the user must consent before the client receives a code.
    public var requiresConsent: Bool
    /// Whether it gets tokens only for a key that it proves to have, `dpop_bound_access_tokens` (RFC 9449 section 5.2).
    public var requiresDPoP: Bool
    /// Whether it must push its authorization requests, `require_pushed_authorization_requests` (RFC 9126 section 6).
    public var requiresPushedAuthorization: Bool
    /// Whether it may introspect every token, not only its own and those that are for it (RFC 7662 section 4).
    public var mayIntrospect: Bool
    /// Whether its ID tokens have the user's claims, as user info has; `nil` for the rules' answer.
    public var userClaimsInIDToken: Bool?
    /// The `typ` of its access tokens, such as `JWT`; `nil` for that of the resource or the manners (RFC 9068
    /// section 2.1).
    public var accessTokenHeaderType: String?
    /// The rules for this client alone; `nil` for the configuration's.
    public var rules: ProviderRules?
    /// The rules that its requests may break, besides those of its set.
    ///
    /// A breach is reported, except those of `pushedRequests`, `senderConstraint`, `authenticationMethods`,
    /// `algorithms` and `clientReferences`. `emptyMetadata` has no effect: it is about registrations.
    public var allowedRules: Set<ProviderRule> = []
    /// The URI for logout tokens; `nil` for none (OpenID Connect Back-Channel Logout section 2.2).
    public var backChannelLogout: ClientLogout?
    /// The URI that the page after signing out loads; `nil` for none (OpenID Connect Front-Channel Logout section 2).
    public var frontChannelLogout: ClientLogout?
    /// The keys that sign the request objects of a client which authenticates otherwise; `nil` for none.
    public var keySet: JSONWebKeySet?
    /// The URI of the client's keys, which the provider fetches; `nil` for keys by value.
    public var keySetURI: ClientURI?
    /// The URIs of request objects that the provider fetches (OpenID Connect Core section 6.2).
    public var requestURIs: [ClientURI] = []
    /// The sector of the client's pairwise subjects, such as a host; `nil` for public subjects (OpenID Connect Core
    /// section 8.1).
    public var sector: String?
    /// The pages about the client, for the consent page.
    public var pages = ClientPages()
    /// The thumbprint of the attested key of the instance that made this request; `nil` for other clients.
    var instance: String?

    /// Registers a client.
    public init(
        id: String,
        name: String,
        authenticationMethod: AuthenticationMethod = .none,
        redirectURIs: [RedirectURI],
        postLogoutRedirectURIs: [RedirectURI] = [],
        allowedScopes: [Scope] = [.openID, .profile, .email, .offlineAccess],
        grantTypes: Set<GrantType> = [.authorizationCode, .refreshToken],
        idTokenAlgorithm: SignatureAlgorithm? = nil,
        userInfoAlgorithm: SignatureAlgorithm? = nil,
        requiresConsent: Bool = true,
        requiresDPoP: Bool = false,
        requiresPushedAuthorization: Bool = false,
        mayIntrospect: Bool = false,
        userClaimsInIDToken: Bool? = nil,
        accessTokenHeaderType: String? = nil,
        rules: ProviderRules? = nil
    ) {
        self.id = id
        self.name = name
        self.authenticationMethod = authenticationMethod
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.allowedScopes = allowedScopes
        self.grantTypes = grantTypes
        self.idTokenAlgorithm = idTokenAlgorithm
        self.userInfoAlgorithm = userInfoAlgorithm
        self.requiresConsent = requiresConsent
        self.requiresDPoP = requiresDPoP
        self.requiresPushedAuthorization = requiresPushedAuthorization
        self.mayIntrospect = mayIntrospect
        self.userClaimsInIDToken = userClaimsInIDToken
        self.accessTokenHeaderType = accessTokenHeaderType
        self.rules = rules
    }
}
