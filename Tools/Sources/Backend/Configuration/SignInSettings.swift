import OstiaryLogi
public import OstiaryOAuth
public import OstiaryServer

/// A sign-in that the service makes for apps, and the sessions that begin so: the tokens stay here.
public struct SignInSettings: Sendable {
    /// How the service proves to the issuer who it is.
    private enum Authentication: String, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    /// What all its places begin with.
    ///
    /// Default: `/auth`, and `/logi` for logi.
    public let path: String
    /// Who signs people in.
    public let issuer: Issuer
    /// The service as the issuer knows it; the redirect URI is the app's.
    public let client: Client
    /// What is asked for.
    public let scopes: [Scope]
    /// The prompts of each sign-in; empty leaves it to the issuer.
    public let prompt: [AuthorizationRequest.Prompt]
    /// The host on which the provider's own app answers; `nil` for a provider without.
    public let nativeHost: String?
    /// How long sessions last.
    public let lifetimes: ServerSessions.Lifetimes
    /// How many sign-ins one sender may start.
    public let limit: RateLimit
    /// What is asked with a session's access token.
    public let forwards: [ForwardSettings]

    /// Reads a sign-in at any issuer.
    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "path",
            "issuer",
            "client_id",
            "client_secret",
            "token_endpoint_auth_method",
            "redirect_uri",
            "scopes",
            "prompt",
            "native_host",
            "session_seconds",
            "idle_seconds",
            "starts_per_minute_and_sender",
            "forward"
        )
        let method = try object["token_endpoint_auth_method"]?.choice(Authentication.self) ?? .basic
        let secret = try object.required("client_secret").secret()
        let id = try object.required("client_id").text()
        let redirectURI = try object.required("redirect_uri").reading { text throws(SignInError) in
            try RedirectURI(text)
        }
        issuer = try object.required("issuer").reading { text throws(SignInError) in try Issuer(text) }
        do throws(SignInError) {
            client = try Client(
                id: id,
                redirectURI: redirectURI,
                authentication: method == .basic ? .clientSecretBasic(secret) : .clientSecretPost(secret)
            )
        } catch {
            throw setting.wrong(error.sentence)
        }
        path = try object["path"]?.route() ?? "/auth"
        scopes = try object["scopes"]?.texts().map { Scope(rawValue: $0) } ?? [.openID]
        prompt = try object["prompt"]?.texts().map { AuthorizationRequest.Prompt(rawValue: $0) } ?? []
        nativeHost = try object["native_host"]?.text()
        lifetimes = try Self.lifetimes(object)
        limit = try Self.limit(object)
        forwards = try Self.forwards(object)
    }

    /// Reads a sign-in at logi, which needs less to be said.
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
            // What the app's half derives, so that both halves agree about the pair of pages.
            let app = try LogiConfiguration(
                clientID: id,
                redirectURI: redirectURI,
                issuer: issuer,
                scopes: scopes,
                nativeAuthorizeHost: nativeHost
            )
            client = try Client(id: id, redirectURI: app.redirectURI, authentication: .clientSecretPost(secret))
            self.issuer = app.issuer
            self.nativeHost = app.nativeHost.description
        } catch {
            throw setting.wrong(error.sentence)
        }
        self.scopes = scopes
        prompt = []
        path = try object["path"]?.route() ?? "/logi"
        lifetimes = try Self.lifetimes(object)
        limit = try Self.limit(object)
        forwards = try Self.forwards(object)
    }

    /// Every path at which it answers, for a look at whether two things answer at one.
    var paths: [String] { ["/start", "/finish", "/session", "/logout"].map { path + $0 } + forwards.map(\.path) }

    private static func lifetimes(_ object: SettingObject) throws(BackendConfigurationError) -> ServerSessions.Lifetimes
    {
        let standard = ServerSessions.Lifetimes()
        return ServerSessions.Lifetimes(
            absolute: try object["session_seconds"]?.seconds(in: 60...31_536_000) ?? standard.absolute,
            idle: try object["idle_seconds"]?.seconds(in: 60...31_536_000) ?? standard.idle
        )
    }

    private static func limit(_ object: SettingObject) throws(BackendConfigurationError) -> RateLimit {
        RateLimit(try object["starts_per_minute_and_sender"]?.integer(in: 1...10_000_000) ?? 20, per: 60)
    }

    private static func forwards(_ object: SettingObject) throws(BackendConfigurationError) -> [ForwardSettings] {
        var forwards: [ForwardSettings] = []
        for setting in try object["forward"]?.elements() ?? [] { forwards.append(try ForwardSettings(setting)) }
        return forwards
    }
}
