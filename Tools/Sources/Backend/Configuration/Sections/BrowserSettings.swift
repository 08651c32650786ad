public import OstiaryOAuth
public import OstiaryServer

/// A sign-in of web apps: the browser gets a session cookie, and the tokens stay on the server.
public struct BrowserSettings: Sendable {
    /// The path of its endpoints.
    ///
    /// Default: `/web`.
    public let path: String
    /// The URL of ``path`` that browsers use.
    public let base: ExternalOrigin
    /// The issuer that signs users in.
    public let issuer: Issuer
    /// The client registration at the issuer.
    public let client: Client
    /// The credentials of ``client``.
    let credentials: ClientCredentials
    /// The authorization request of every sign-in.
    public let request: AuthorizationRequest
    /// Other origins whose pages use the session.
    public let origins: [Origin]
    /// The address at which a browser arrives after a sign-in that names no other.
    public let landing: String
    /// The registered URI at which a browser arrives after a sign-out at the issuer.
    public let postLogoutRedirectURI: RedirectURI?
    /// The names and the reach of the cookies.
    public let cookies: BrowserCookies
    /// The claims that pages may read.
    public let claims: [String]
    /// Whether every sign-in reads the UserInfo endpoint.
    public let readsUserInfo: Bool
    /// The lifetimes of sessions.
    public let lifetimes: ServerSessions.Lifetimes
    /// The consequence of a refresh whose response was lost.
    public let lostRefresh: ServerSessions.LostRefresh
    /// The sign-ins that one sender may start.
    public let limit: RateLimit
    /// The APIs that are reached with a session's access token.
    public let forwards: [ForwardSettings]
    /// The authentication check for a reverse proxy; `nil` for none.
    public let gateway: GatewaySettings?

    private enum SameSite: String, CaseIterable {
        case strict, lax
    }

    /// Reads the sign-in of a service at these origins.
    init(_ setting: Setting, origins own: [ExternalOrigin]) throws(BackendConfigurationError) {
        let known = [
            "path", "origin", "issuer", "origins", "landing", "post_logout_redirect_uri", "cookie", "same_site",
            "claims",
            "user_info", "session_seconds", "idle_seconds", "lost_refresh", "starts_per_minute_and_sender", "forward",
            "gateway",
        ]
        let object = try setting.object(of: known + ClientSettings.members + RequestSettings.members)
        path = try object["path"]?.route() ?? "/web"
        base = try Self.base(object["origin"], path: path, of: own)
        let callback = base.description + "/callback"
        let redirectURI: RedirectURI
        do throws(SignInError) { redirectURI = try RedirectURI(callback) } catch { throw setting.wrong(error.sentence) }
        issuer = try object.required("issuer").reading { text throws(SignInError) in try Issuer(text) }
        (client, credentials) = try ClientSettings.client(object, redirectURI: redirectURI)
        request = try RequestSettings.request(object)
        var origins: [Origin] = []
        for element in try object["origins"]?.elements() ?? [] {
            origins.append(try element.reading { text throws(SignInError) in try Origin(text) })
        }
        self.origins = origins
        landing = try object["landing"]?.text() ?? "/"
        postLogoutRedirectURI = try object["post_logout_redirect_uri"]?.reading { text throws(SignInError) in
            try RedirectURI(text)
        }
        gateway = try object["gateway"].map { setting throws(BackendConfigurationError) in
            try GatewaySettings(setting)
        }
        let sameSite = try object["same_site"]?.choice(SameSite.self) ?? (gateway == nil ? .strict : .lax)
        if gateway != nil, sameSite == .strict, let setting = object["same_site"] {
            throw setting.wrong(
                "Expected lax, found strict: with a gateway, the browser must send the cookie with the redirect after the sign-in."
            )
        }
        let name = try object["cookie"]?.text() ?? "ostiary"
        do throws(SignInError) {
            cookies = try BrowserCookies(name: name, sameSite: sameSite == .strict ? .strict : .lax)
        } catch {
            throw (object["cookie"] ?? setting).wrong(error.sentence)
        }
        claims = try object["claims"]?.texts() ?? BrowserSignIn.usualClaims
        readsUserInfo = try object["user_info"]?.isOn() ?? true
        lifetimes = try SignInSettings.lifetimes(object)
        lostRefresh = try SignInSettings.lostRefresh(object)
        limit = try SignInSettings.limit(object)
        forwards = try SignInSettings.forwards(object)
    }

    /// The URL of the path at the configured origin, or at the only one.
    private static func base(
        _ setting: Setting?,
        path: String,
        of own: [ExternalOrigin]
    ) throws(BackendConfigurationError) -> ExternalOrigin {
        let names = own.map(\.description)
        guard let setting else {
            guard own.count == 1, let base = try? ExternalOrigin(names[0] + path) else {
                throw BackendConfigurationError(
                    "browser.origin",
                    "Set the origin that browsers use: one of \(names.joined(separator: ", "))."
                )
            }
            return base
        }
        let text = try setting.text()
        guard names.contains(where: { $0.utf8.elementsEqual(text.utf8) }), let base = try? ExternalOrigin(text + path)
        else { throw setting.wrong("Expected one of the service's origins, \(names.joined(separator: ", ")).") }
        return base
    }

    /// Every path that it serves, for the check for duplicates.
    var paths: [String] {
        let places = ["/login", "/callback", "/session", "/sessions", "/logout", Self.backChannelPlace]
        return places.map { path + $0 } + forwards.map(\.path) + (gateway.map { [$0.path] } ?? [])
    }

    /// The path below ``path`` of the back-channel logout endpoint.
    static let backChannelPlace = "/backchannel-logout"
}

/// The check that a proxy makes before it passes a request on to an application.
public struct GatewaySettings: Sendable {
    /// The path that the proxy requests.
    ///
    /// Default: `/gateway/check`.
    public let path: String
    /// The response to a browser that loads a page without a session.
    public let refusal: GatewayCheck.Refusal
    /// The claim that lists the groups.
    public let groupsClaim: String
    /// The groups that are admitted; `nil` for every user.
    public let groups: Set<String>?
    /// Whether an email address is passed on that the issuer has not verified.
    public let acceptsUnverifiedEmail: Bool
    /// Whether the application gets the access token.
    public let passesAccessToken: Bool

    init(_ setting: Setting) throws(BackendConfigurationError) {
        let object = try setting.object(
            of: "path",
            "refusal",
            "groups_claim",
            "groups",
            "unverified_email",
            "access_token"
        )
        path = try object["path"]?.route() ?? "/gateway/check"
        refusal = try object["refusal"]?.choice(GatewayCheck.Refusal.self) ?? .unauthorized
        groupsClaim = try object["groups_claim"]?.text() ?? "groups"
        groups = try object["groups"].map { setting throws(BackendConfigurationError) in Set(try setting.texts()) }
        acceptsUnverifiedEmail = try object["unverified_email"]?.isOn() ?? false
        passesAccessToken = try object["access_token"]?.isOn() ?? false
    }
}
