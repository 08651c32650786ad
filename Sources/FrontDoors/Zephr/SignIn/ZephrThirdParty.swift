import HTTPTypes
public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Scope {
    /// Reading the account, at a Zephr site.
    public static let zephrAccountRead: Self = "user.account:read"
    /// Reading the profile, at a Zephr site.
    public static let zephrProfileRead: Self = "user.profile:read"
    /// Changing the profile, at a Zephr site.
    public static let zephrProfileUpdate: Self = "user.profile:update"
}

extension ZephrSite {
    /// Returns a client for a third party, for which the site is an OAuth 2 server.
    ///
    /// Its token requests are JSON. There is no ID token: request scopes of the site's own, and read the user's
    /// identity with the access token.
    ///
    ///     let client = try site.thirdPartyClient(id: "…", redirectURI: "…")
    ///     let session = try await client.signIn(AuthorizationRequest(scopes: [.zephrAccountRead]))
    ///
    /// - Parameters:
    ///   - id: The client identifier.
    ///   - redirectURI: The registered redirect URI.
    ///   - authentication: The client's authentication method.
    ///   - userAgent: The user agent that presents the page.
    ///   - transport: The HTTP transport used for every request.
    ///   - store: The store of the session. Default: `SignInClient.defaultStore`, which is permanent.
    ///   - clock: The device's clocks.
    /// - Returns: The client.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public func thirdPartyClient(
        id: String,
        redirectURI: String,
        authentication: ClientAuthentication = .none,
        userAgent: any UserAgent,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore,
        clock: DeviceClock = .system
    ) throws(SignInError) -> SignInClient {
        let issuer = try Issuer(description)
        let tokenEndpoint = URL(string: newer("/oauth2/token"))
        return SignInClient(
            issuer: issuer,
            client: try Client(
                id: id,
                redirectURI: try RedirectURI(redirectURI),
                authentication: authentication
            ),
            configuration: SignInClient.Configuration(
                server: AuthorizationServer(
                    issuer: issuer,
                    authorizationEndpoint: URL(string: newer("/oauth2")),
                    tokenEndpoint: tokenEndpoint
                ),
                userAgent: userAgent,
                transport: JSONTokenTransport(transport, tokenEndpoint: tokenEndpoint),
                store: store,
                clock: clock
            )
        )
    }
}

/// Sends the form of a token request as JSON, for a server that requires it; other requests are sent unchanged.
public struct JSONTokenTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let tokenEndpoint: URL?

    /// Takes the transport below, and where JSON is wanted.
    public init(_ transport: any HTTPTransport, tokenEndpoint: URL?) {
        self.transport = transport
        self.tokenEndpoint = tokenEndpoint
    }

    /// Sends a request.
    ///
    /// - Throws: `invalidRequest` for a form with a parameter that repeats, which JSON has no place for.
    public func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url == tokenEndpoint, request.method == .post, !request.form.pairs.isEmpty else {
            return try await transport.send(request)
        }
        var object = JSONObject()
        for pair in request.form.pairs {
            guard object[pair.name.rawValue] == nil else { throw .invalidRequest }
            object[pair.name.rawValue] = .string(pair.value)
        }
        var changed = request
        changed.form = Parameters()
        changed.content = EndpointRequest.Content(mediaType: "application/json", bytes: object.encoded())
        return try await transport.send(changed)
    }
}
