public import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

/// A Curity Identity Server with dynamic client registration, as its mobile samples set it up.
///
/// Clients register themselves, get credentials of their own and manage them; refresh tokens come without
/// `offline_access`, and an ID token comes with the code alone.
public struct CurityDialect: Dialect {
    /// The policy for registering clients.
    public enum RegistrationAccess: Sendable, Hashable {
        /// No client may register.
        case disabled
        /// Any client may register: "No Authentication" in the administration page.
        case open
        /// A client needs an access token with the scope `dcr`, which is valid once.
        case withInitialAccessToken
    }

    /// The policy for clients without a template.
    public var nonTemplatized: RegistrationAccess
    /// The templates that a client can name.
    public var templates: [CurityTemplate]
    /// The lifetime of a client's refresh tokens when its metadata has none.
    ///
    /// Default: an hour.
    public var refreshTokenLifetime: Duration
    /// Whether authorization responses carry `iss` (RFC 9207); the server has it as an option.
    public var sendsIssuer: Bool
    /// The requests that the server takes besides those of the specifications.
    public var requestForms: RequestForms

    /// The forms of requests that a server takes.
    public enum RequestForms: Sendable, Hashable {
        /// Also what the vendor's samples send with AppAuth, whose additional parameters are texts.
        ///
        /// `requires_consent` may be `"true"`, `post_logout_redirect_uris` one text, and a client of
        /// `client_secret_basic` may send its secret in the form, because the registration lists both methods. (curity.io,
        /// "Swift iOS App using AppAuth"; curityio/openid-client-ios-appauth and -dcr)
        case samples
        /// The specifications' alone.
        case strict
    }

    /// Whether a client that is registered for `client_secret_basic` may send its secret in the form.
    public var acceptsPostedSecrets: Bool { requestForms == .samples }

    /// Makes it.
    public init(
        nonTemplatized: RegistrationAccess = .open,
        templates: [CurityTemplate] = [],
        refreshTokenLifetime: Duration = .seconds(3600),
        sendsIssuer: Bool = false,
        requestForms: RequestForms = .samples
    ) {
        self.nonTemplatized = nonTemplatized
        self.templates = templates
        self.refreshTokenLifetime = refreshTokenLifetime
        self.sendsIssuer = sendsIssuer
        self.requestForms = requestForms
    }

    /// `curity`.
    public var name: String { "curity" }

    /// The origin: endpoints lie beside the issuer.
    public var root: EndpointRoot { .origin }

    /// The paths of the endpoints at the samples' server.
    public func path(of route: Route) -> String? {
        switch route {
        case .keySet: "/oauth/v2/oauth-anonymous/jwks"
        case .authorization: "/oauth/v2/oauth-authorize"
        case .pushedAuthorization: "/oauth/v2/oauth-authorize/par"
        case .token: "/oauth/v2/oauth-token"
        case .userInfo: "/oauth/v2/oauth-userinfo"
        case .revocation: "/oauth/v2/oauth-revoke"
        case .introspection: "/oauth/v2/oauth-introspect"
        case .endSession: "/oauth/v2/oauth-session"
        case .registration: Self.registrationPath
        case .registeredClient: Self.registrationPath + "/"
        case .login: "/authn/authentication/login"
        case .accounts: "/authn/accounts"
        case .oneTimePassword: "/authn/one-time-password"
        case .consent: "/authn/consent"
        case .signOut: "/authn/sign-out"
        case .deviceAuthorization, .device, .deviceLogin, .deviceAccounts, .deviceOneTimePassword, .deviceConsent,
            .attestationChallenge, .account:
            ""
        case .openIDConfiguration, .authorizationServer, .webFinger: nil
        }
    }

    static let registrationPath = "/token-service/oauth-registration"

    /// For every sign-in of a client that may have them.
    public func givesRefreshTokens(for scopes: [Scope]) -> Bool { true }

    /// Leaves `iss` out, unless it is turned on.
    public func writeAuthorizationResponse(_ parameters: inout Parameters) {
        if !sendsIssuer { parameters[.issuer] = nil }
    }

    /// Changes the metadata to that of the samples' server.
    public func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) {
        if !sendsIssuer { metadata["authorization_response_iss_parameter_supported"] = nil }
        metadata["acr_values_supported"] = [.string(Self.passwordContext)]
    }

    /// Names the authenticator, and the client as the one that the token was made for.
    public func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {
        if claims["acr"]?.string == Provider.passwordContext { claims["acr"] = .string(Self.passwordContext) }
        claims["azp"] = claims["aud"]
        claims["purpose"] = "id"
    }

    /// A refresh brings no ID token.
    public func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType) {
        if grantType == .refreshToken { response["id_token"] = nil }
    }

    /// The authenticator of the samples: a form for name and password.
    static let passwordContext = "urn:se:curity:authentication:html-form:Username-Password"
}

/// A template for clients that name it as their `software_id`.
public struct CurityTemplate: Sendable {
    /// The identifier of the client that serves as the template.
    public var id: String
    /// The policy for registering a client with the template.
    public var access: CurityDialect.RegistrationAccess
    /// The metadata of every client with the template.
    public var metadata: JSONObject
    /// Whether the registration response includes the template's metadata.
    public var tellsMetadata: Bool

    /// Describes a template.
    public init(
        id: String,
        access: CurityDialect.RegistrationAccess = .withInitialAccessToken,
        metadata: JSONObject,
        tellsMetadata: Bool = true
    ) {
        self.id = id
        self.access = access
        self.metadata = metadata
        self.tellsMetadata = tellsMetadata
    }
}
