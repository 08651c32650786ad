import HTTPTypes
public import OstiaryJOSE
public import OstiaryOAuth

/// What makes a provider speak like a vendor's: paths, parameters, claims, errors and endpoints of its own.
///
/// Everything that a dialect does not say is the strict provider's. Each hook gets what that provider would have done.
public protocol Dialect: Sendable {
    /// The name that the command line calls it by.
    var name: String { get }

    /// Where an endpoint lies below the issuer instead; `nil` for where it usually does, empty for nowhere.
    func path(of route: Route) -> String?

    /// Answers a request that this dialect has an endpoint of its own for, or answers otherwise.
    ///
    /// - Returns: The answer; `nil` leaves the request to the provider.
    func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse?

    /// Changes an authorization request before it is checked.
    func readAuthorization(_ parameters: inout Parameters, at provider: Provider)

    /// Refuses an authorization request that the provider itself would not, of a client that it knows; the error goes
    /// back to the client.
    func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError?

    /// Changes the redirect back to the client.
    func writeAuthorizationResponse(_ parameters: inout Parameters)

    /// Changes the metadata.
    func writeMetadata(_ metadata: inout JSONObject, at provider: Provider)

    /// Changes the claims of an ID token before it is signed.
    func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope])

    /// Changes the claims of an access token before it is signed.
    func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope])

    /// Changes the claims of the user info.
    func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope])

    /// Changes any answer, such as an error's form, or adds header fields.
    func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider)
}

extension Dialect {
    /// Every endpoint where it usually lies.
    public func path(of route: Route) -> String? { nil }
    /// No endpoint of its own.
    public func answer(to request: ProviderRequest, at provider: Provider) async throws -> ProviderResponse? { nil }
    /// Nothing is changed.
    public func readAuthorization(_ parameters: inout Parameters, at provider: Provider) {}
    /// Nothing more is refused.
    public func refusal(of parameters: Parameters, from client: RegisteredClient) -> OAuthError? { nil }
    /// Nothing is changed.
    public func writeAuthorizationResponse(_ parameters: inout Parameters) {}
    /// Nothing is changed.
    public func writeMetadata(_ metadata: inout JSONObject, at provider: Provider) {}
    /// Nothing is changed.
    public func writeIDToken(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {}
    /// Nothing is changed.
    public func writeAccessToken(_ claims: inout JSONObject, for person: ProviderUser?, scopes: [Scope]) {}
    /// Nothing is changed.
    public func writeUserInfo(_ claims: inout JSONObject, for person: ProviderUser, scopes: [Scope]) {}
    /// Nothing is changed.
    public func write(_ response: inout ProviderResponse, to request: ProviderRequest, at provider: Provider) {}
}

/// The strict provider as it is.
public struct StandardDialect: Dialect {
    /// `standard`.
    public var name: String { "standard" }

    /// Makes it.
    public init() {}
}
