import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// What makes a provider speak like a vendor's: paths, parameters, claims, errors and endpoints of its own.
///
/// Everything that a dialect does not say is the strict provider's. Each hook gets what that provider would have done.
public protocol Dialect: Sendable {
    /// The name that the command line calls it by.
    var name: String { get }

    /// What the paths of endpoints are counted from; metadata always lies below the issuer.
    var root: EndpointRoot { get }

    /// Where an endpoint lies below the root instead; `nil` for where it usually does, empty for nowhere.
    func path(of route: Route) -> String?

    /// Answers a request that this dialect has an endpoint of its own for, or answers otherwise.
    ///
    /// - Returns: The answer; `nil` leaves the request to the provider.
    func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse?

    /// Changes an authorization request before it is checked.
    func readAuthorization(_ parameters: inout Parameters, at provider: Provider)

    /// Whether a sign-in gives refresh tokens, and outlives the person's login at the provider.
    func givesRefreshTokens(for scopes: [Scope]) -> Bool
    /// Refuses an authorization request that the provider itself would not, of a client that it knows; the error goes
    /// back to the client.
    func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError?

    /// Changes the redirect back to the client.
    func writeAuthorizationResponse(_ parameters: inout Parameters)

    /// Changes the metadata.
    func writeMetadata(_ metadata: inout JSONObject, at provider: Provider)

    /// Changes what an access token is about to be, or refuses it while nothing of the grant is used up.
    ///
    /// - Parameters:
    ///   - plan: What the strict provider would make.
    ///   - form: The token request.
    ///   - person: Who signed in.
    /// - Throws: What the client is answered.
    func writeAccessTokenPlan(
        _ plan: inout AccessTokenPlan,
        asked form: Parameters,
        of person: ProviderUser
    ) throws(DialectRefusal)

    /// Changes the claims of an ID token before it is signed.
    func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope])

    /// Changes the claims of an access token before it is signed.
    func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope])

    /// Changes the answer of the token endpoint.
    func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType)

    /// Changes what a client says about itself before it is checked, when it registers and when it updates that.
    ///
    /// - Returns: What is kept besides the members of RFC 7591 section 2, of which the provider keeps those it knows.
    func readClientMetadata(_ sent: inout JSONObject, at provider: Provider) throws -> JSONObject

    /// Changes what a client is told about its registration.
    func writeRegistration(_ response: inout JSONObject, at provider: Provider)

    /// Changes the claims of the user info.
    func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope])

    /// Changes any answer, such as an error's form, or adds header fields.
    func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider)
}

extension Dialect {
    /// The issuer.
    public var root: EndpointRoot { .issuer }
    /// Every endpoint where it usually lies.
    public func path(of route: Route) -> String? { nil }
    /// No endpoint of its own.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? { nil }
    /// Nothing is changed.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {}
    /// For `offline_access` (OpenID Connect Core section 11).
    public func givesRefreshTokens(for scopes: [Scope]) -> Bool { scopes.contains(.offlineAccess) }
    /// Nothing more is refused.
    public func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError? { nil }
    /// Nothing is changed.
    public func writeAuthorizationResponse(_ parameters: inout Parameters) {}
    /// Nothing is changed.
    public func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) {}
    /// Nothing is changed.
    public func writeAccessTokenPlan(
        _ plan: inout AccessTokenPlan,
        asked form: Parameters,
        of person: ProviderUser
    ) throws(DialectRefusal) {}
    /// Nothing is changed.
    public func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {}
    /// Nothing is changed.
    public func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope]) {}
    /// Nothing is changed.
    public func writeTokenResponse(_ response: inout JSONObject, for grantType: RegisteredClient.GrantType) {}
    /// Nothing is changed, and nothing more is kept.
    public func readClientMetadata(_ sent: inout JSONObject, at provider: Provider) throws -> JSONObject { [:] }
    /// Nothing is changed.
    public func writeRegistration(_ response: inout JSONObject, at provider: Provider) {}
    /// Nothing is changed.
    public func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {}
    /// Nothing is changed.
    public func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {}
}

/// What the paths of a provider's endpoints are counted from.
public enum EndpointRoot: Sendable, Hashable {
    /// The issuer, with its path.
    case issuer
    /// The issuer's scheme, host and port.
    case origin
}

/// The strict provider as it is.
public struct StandardDialect: Dialect {
    /// `standard`.
    public var name: String { "standard" }

    /// Makes it.
    public init() {}
}
