import OstiaryLogi
public import OstiaryOAuth
public import OstiaryServer

/// A sign-in that the service performs for apps, and its sessions: the tokens stay on the server.
public struct SignInSettings: Sendable {
    /// The position in the configuration, such as `sign_in[1]`, for messages to the operator.
    let section: String
    /// The common prefix of its paths.
    ///
    /// Default: `/auth`, and `/logi` for logi.
    public let path: String
    /// The issuer that signs users in.
    public let issuer: Issuer
    /// The `response_mode` as it is sent.
    private enum ResponseMode: String, CaseIterable {
        case query
        case formPost = "form_post"
    }

    /// The client registration at the issuer; the redirect URI is the app's, or with `form_post` the service's own.
    public let client: Client
    /// The credentials of ``client``.
    let credentials: ClientCredentials
    /// The way in which the issuer returns its response.
    ///
    /// Default: in the query of a redirect to the app.
    public let responseMode: BackendSignIn.ResponseMode
    /// The authorization request of every sign-in.
    public let request: AuthorizationRequest
    /// The requested scopes.
    public var scopes: [Scope] { request.scopes }
    /// The host on which the provider's own app answers; `nil` for a provider without an app.
    public let nativeHost: String?
    /// The lifetimes of sessions.
    public let lifetimes: ServerSessions.Lifetimes
    /// The consequence of a refresh whose response was lost.
    public let lostRefresh: ServerSessions.LostRefresh
    /// The number of sign-ins that one client address may start.
    public let limit: RateLimit
    /// The APIs that are reached with a session's access token.
    public let forwards: [ForwardSettings]

    /// Reads a sign-in at any issuer, for a service at these origins.
    init(_ setting: Setting, origins: [ExternalOrigin]) throws(BackendConfigurationError) {
        let own = [
            "path", "issuer", "redirect_uri", "response_mode", "app_redirect_uri", "native_host", "session_seconds",
            "idle_seconds", "lost_refresh", "starts_per_minute_and_sender", "forward",
        ]
        let object = try setting.object(of: own + ClientSettings.members + RequestSettings.members)
        let redirectURI = try object.required("redirect_uri").reading { text throws(SignInError) in
            try RedirectURI(text)
        }
        section = setting.path
        issuer = try object.required("issuer").reading { text throws(SignInError) in try Issuer(text) }
        (client, credentials) = try ClientSettings.client(object, redirectURI: redirectURI)
        path = try object["path"]?.route() ?? "/auth"
        responseMode = try Self.responseMode(object, path: path, redirectURI: redirectURI, origins: origins)
        request = try RequestSettings.request(object)
        nativeHost = try object["native_host"]?.text()
        lifetimes = try Self.lifetimes(object)
        lostRefresh = try Self.lostRefresh(object)
        limit = try Self.limit(object)
        forwards = try Self.forwards(object)
    }

    /// Reads a sign-in at logi, which needs fewer members.
    init(logi setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "path",
            "issuer",
            "client_id",
            "client_secret",
            "redirect_uri",
            "scopes",
            "native_host",
            "session_seconds",
            "idle_seconds",
            "starts_per_minute_and_sender",
            "forward"
        )
        let secret = try object.required("client_secret").secret()
        let id = try object.required("client_id").text()
        let redirectURI = try object.required("redirect_uri").text()
        let issuer = try object["issuer"]?.text() ?? LogiPreset.issuer
        let scopes = try object["scopes"]?.texts().map { Scope(rawValue: $0) } ?? LogiPreset.scopes
        let nativeHost = try object["native_host"]?.text()
        do throws(SignInError) {
            // Derived by the app's package, so that app and service agree about the two pages.
            let app = try LogiConfiguration(
                clientID: id,
                redirectURI: redirectURI,
                issuer: issuer,
                scopes: scopes,
                nativeAuthorizeHost: nativeHost
            )
            credentials = ClientCredentials(.clientSecretPost(secret))
            client = try Client(
                id: id,
                redirectURI: app.redirectURI,
                authentication: credentials.authentication
            )
            self.issuer = app.issuer
            self.nativeHost = app.nativeHost.description
        } catch {
            throw setting.wrong(error.sentence)
        }
        section = setting.path
        request = AuthorizationRequest(scopes: scopes, pushing: .whenRequired)
        responseMode = .query
        path = try object["path"]?.route() ?? "/logi"
        lifetimes = try Self.lifetimes(object)
        lostRefresh = .ends
        limit = try Self.limit(object)
        forwards = try Self.forwards(object)
    }

    /// Every path that it serves, for the check for duplicates.
    var paths: [String] {
        var places = ["/start", "/finish", "/session", "/logout"]
        if responseMode != .query { places.append(Self.responsePlace) }
        return places.map { path + $0 } + forwards.map(\.path)
    }

    /// The path below ``path`` to which the browser posts the issuer's response.
    static let responsePlace = "/response"

    /// Reads the response mode; with `form_post` the redirect URI must be the service's response endpoint.
    private static func responseMode(
        _ object: SettingObject,
        path: String,
        redirectURI: RedirectURI,
        origins: [ExternalOrigin]
    ) throws(BackendConfigurationError) -> BackendSignIn.ResponseMode {
        guard try object["response_mode"]?.choice(ResponseMode.self) ?? .query == .formPost else {
            if let app = object["app_redirect_uri"] {
                throw app.wrong(
                    "Only response_mode form_post uses app_redirect_uri: set that mode, or remove app_redirect_uri."
                )
            }
            return .query
        }
        let app = try object.required("app_redirect_uri").reading { text throws(SignInError) in try RedirectURI(text) }
        let places = origins.map { $0.description + path + Self.responsePlace }
        guard places.contains(redirectURI.description) else {
            throw try object.required("redirect_uri").wrong(
                "With response_mode form_post the issuer posts to this service: set and register \(places.joined(separator: " or "))."
            )
        }
        return .formPost(redirectingTo: app)
    }

    static func lifetimes(_ object: SettingObject) throws(BackendConfigurationError) -> ServerSessions.Lifetimes {
        let standard = ServerSessions.Lifetimes()
        return ServerSessions.Lifetimes(
            absolute: try object["session_seconds"]?.seconds(in: 60...31_536_000) ?? standard.absolute,
            idle: try object["idle_seconds"]?.seconds(in: 60...31_536_000) ?? standard.idle
        )
    }

    static func lostRefresh(
        _ object: SettingObject
    ) throws(BackendConfigurationError) -> ServerSessions.LostRefresh {
        try object["lost_refresh"]?.choice(ServerSessions.LostRefresh.self) ?? .ends
    }

    static func limit(_ object: SettingObject) throws(BackendConfigurationError) -> RateLimit {
        RateLimit(try object["starts_per_minute_and_sender"]?.integer(in: 1...10_000_000) ?? 20, per: .seconds(60))
    }

    static func forwards(_ object: SettingObject) throws(BackendConfigurationError) -> [ForwardSettings] {
        var forwards: [ForwardSettings] = []
        for setting in try object["forward"]?.elements() ?? [] { forwards.append(try ForwardSettings(setting)) }
        return forwards
    }
}
