import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// A vendor's variations of the provider: paths, parameters, claims, errors and endpoints of its own.
///
/// Every member has a default, which is the strict provider's behavior. Each hook receives the strict provider's value.
public protocol Dialect: Sendable {
    /// The name that the command line calls it by.
    var name: String { get }

    /// The root of the endpoints' paths; metadata always lies below the issuer.
    var root: EndpointRoot { get }

    /// Returns the path of an endpoint below the root; `nil` for its usual path, empty for none.
    func path(of route: Route) -> String?

    /// Responds to a request for an endpoint of this dialect, or replaces the provider's response.
    ///
    /// - Returns: The response; `nil` leaves the request to the provider.
    func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse?

    /// Changes an authorization request before it is checked.
    func readAuthorization(_ parameters: inout Parameters, at provider: Provider)

    /// Whether a sign-in issues refresh tokens, and outlives the user's login at the provider.
    func givesRefreshTokens(for scopes: [Scope]) -> Bool
    /// Refuses an authorization request that the provider itself would not, of a client that it knows; the error goes
    /// back to the client.
    func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError?

    /// Whether a client that is registered for `client_secret_basic` may send its secret in the form instead.
    var acceptsPostedSecrets: Bool { get }

    /// Changes the redirect back to the client.
    func writeAuthorizationResponse(_ parameters: inout Parameters)

    /// Changes the metadata.
    func writeMetadata(_ metadata: inout JSONObject, at provider: Provider)

    /// Changes the plan for an access token, or rejects it before the grant is used up.
    ///
    /// - Parameters:
    ///   - plan: The strict provider's plan.
    ///   - form: The token request.
    ///   - person: The user who signed in.
    /// - Throws: The error for the client.
    func writeAccessTokenPlan(
        _ plan: inout AccessTokenPlan,
        asked form: Parameters,
        of person: ProviderUser
    ) throws(DialectRefusal)

    /// Changes the claims of an ID token before it is signed.
    func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope])

    /// Changes the claims of an access token before it is signed.
    func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope])

    /// Changes the response of the token endpoint.
    func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType)

    /// Changes a client's metadata before it is checked, at registration and at an update.
    ///
    /// - Returns: The members to store besides those of RFC 7591 section 2, of which the provider stores those it
    ///   knows.
    func readClientMetadata(_ sent: inout JSONObject, at provider: Provider) throws -> JSONObject

    /// Changes the registration response.
    func writeRegistration(_ response: inout JSONObject, at provider: Provider)

    /// Changes the claims of the user info.
    func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope])

    /// Changes any response, such as an error's form, or adds header fields.
    func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider)
}

extension Dialect {
    /// No: a client authenticates as it is registered.
    public var acceptsPostedSecrets: Bool { false }
    /// The issuer.
    public var root: EndpointRoot { .issuer }
    /// The usual path of every endpoint.
    public func path(of route: Route) -> String? { nil }
    /// No endpoint of its own.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? { nil }
    /// Changes nothing.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {}
    /// For `offline_access` (OpenID Connect Core section 11).
    public func givesRefreshTokens(for scopes: [Scope]) -> Bool { scopes.contains(.offlineAccess) }
    /// Rejects no further requests.
    public func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError? { nil }
    /// Changes nothing.
    public func writeAuthorizationResponse(_ parameters: inout Parameters) {}
    /// Changes nothing.
    public func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) {}
    /// Changes nothing.
    public func writeAccessTokenPlan(
        _ plan: inout AccessTokenPlan,
        asked form: Parameters,
        of person: ProviderUser
    ) throws(DialectRefusal) {}
    /// Changes nothing.
    public func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {}
    /// Changes nothing.
    public func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope]) {}
    /// Changes nothing.
    public func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType) {}
    /// Changes nothing, and stores no further members.
    public func readClientMetadata(_ sent: inout JSONObject, at provider: Provider) throws -> JSONObject { [:] }
    /// Changes nothing.
    public func writeRegistration(_ response: inout JSONObject, at provider: Provider) {}
    /// Changes nothing.
    public func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {}
    /// Changes nothing.
    public func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {}
}

/// The root from which the paths of a provider's endpoints are counted.
public enum EndpointRoot: Sendable, Hashable {
    /// The issuer, with its path.
    case issuer
    /// The issuer's scheme, host and port.
    case origin
}

/// The strict provider without variations.
public struct StandardDialect: Dialect {
    /// `standard`.
    public var name: String { "standard" }

    /// Makes it.
    public init() {}
}
