public import HTTPTypes
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sign-in of a web app, whose tokens stay with its backend: a backend for frontends. (RFC 10017 section 6.1)
///
/// The browser has a cookie that scripts cannot read, and a session that this service keeps. Scripts get no token: they read
/// the user's claims from ``session``, and reach APIs through the backend.
///
///     let web = try BrowserSignIn(
///         sessions: sessions,
///         at: ExternalOrigin("https://app.example.com/web"),
///         request: AuthorizationRequest(scopes: [.openID, .profile, .offlineAccess]),
///         store: store
///     )
///     router.add(web, at: "/web", sender: { _, context in context.remoteAddress?.ipAddress })
///
/// A sign-in is bound to the browser that started it, so a redirect that another browser began is rejected: an attacker can
/// neither sign a user in to the attacker's account nor take up a user's sign-in (RFC 9700 section 4.7). Requests that
/// pages of other origins cause are rejected with 403, except for the origins that are named.
public struct BrowserSignIn: Sendable {
    /// The store of sign-ins in progress.
    public typealias Store = OneTimeStore & RedemptionStore & RateLimitStore & SessionListStore

    /// The claims about the user that ``session`` returns by default.
    public static let usualClaims = [
        "name", "given_name", "family_name", "preferred_username", "picture", "email", "email_verified", "locale",
    ]

    let sessions: ServerSessions
    /// The URL below which the endpoints lie, as browsers know it.
    let base: ExternalOrigin
    let request: AuthorizationRequest
    let pages: BrowserPages
    let landing: ReturnAddress
    let postLogoutRedirectURI: RedirectURI?
    let cookies: BrowserCookies
    let claims: [String]
    let readsUserInfo: Bool
    let limit: RateLimit
    let store: any Store
    let redemptions: CodeRedemptions
    /// The sessions of this client, and of the other clients of the issuer that share the store.
    let clients: [ServerSessions]
    let revocations: SharedRevocations?

    /// Makes the sign-in of a web app.
    ///
    /// - Parameters:
    ///   - sessions: The sessions to begin; the client's redirect URI is `base` and `/callback`.
    ///   - base: The URL below which the endpoints lie, as browsers know it, such as `https://app.example.com/web`.
    ///   - request: The authorization request; `openid` has to be among its scopes.
    ///   - origins: Other origins whose pages may read the session and send requests with it. They are of the same site
    ///     as `base`: browsers send no cookies from others. Default: none.
    ///   - landing: The path at which a browser arrives after a sign-in without a return address. Default: `/`.
    ///   - postLogoutRedirectURI: The URI at which the browser arrives after a sign-out at the issuer, registered there.
    ///     Default: none; the user stays on the issuer's page.
    ///   - cookies: The names and the reach of the cookies.
    ///   - claims: The claims about the user that pages may read. Default: ``usualClaims``.
    ///   - readsUserInfo: Whether each sign-in reads the UserInfo endpoint: most issuers put name and e-mail address
    ///     there, and not into the ID token (OpenID Connect Core section 5.4). Default: `true`.
    ///   - limit: The sign-ins that one sender may start. Default 20 a minute.
    ///   - others: The sessions of other clients of the issuer in the same store, such as the app's. ``list`` shows
    ///     them, too, and revokes their refresh tokens when it ends them. Default: none.
    ///   - revocations: The list of revoked access tokens, which gets the user when all sessions end. Access tokens of
    ///     a sign-in within the next 30 seconds are then rejected, too. Default: access tokens stay valid until they expire.
    ///   - store: A store that all instances share, the one of the sessions.
    /// - Throws: `configuration` at stage `authorization` without `openid`, for another redirect URI, and for an
    ///   invalid landing path.
    public init(
        sessions: ServerSessions,
        at base: ExternalOrigin,
        request: AuthorizationRequest,
        origins: [Origin] = [],
        landing: String = "/",
        postLogoutRedirectURI: RedirectURI? = nil,
        cookies: BrowserCookies? = nil,
        claims: [String] = Self.usualClaims,
        readsUserInfo: Bool = true,
        limit: RateLimit = RateLimit(20, per: .seconds(60)),
        alongside others: [ServerSessions] = [],
        revocations: SharedRevocations? = nil,
        store: any Store
    ) throws(SignInError) {
        func wrong(_ sentence: String) -> SignInError { SignInError(.authorization, .configuration(sentence)) }
        guard request.scopes.contains(.openID) else {
            throw wrong("Add openid to the scopes: without it, the response does not name the user.")
        }
        let callback = base.description + Self.callbackPlace
        guard sessions.client.redirectURI.description.utf8.elementsEqual(callback.utf8) else {
            throw wrong("The client's redirect URI must be \(callback), the endpoint that gets the issuer's response.")
        }
        guard let url = URL(string: base.description), let own = Origin(url) else {
            throw wrong("\(base) has no origin: give the URL of the sign-in's endpoints.")
        }
        pages = BrowserPages(own: own, others: origins)
        guard let landing = ReturnAddress(landing, pages: pages) else {
            throw wrong("The landing address must be a path such as /home, or a URL at one of the origins.")
        }
        self.landing = landing
        self.sessions = sessions
        self.base = base
        self.request = request
        self.postLogoutRedirectURI = postLogoutRedirectURI
        if let cookies { self.cookies = cookies } else { self.cookies = try BrowserCookies() }
        self.claims = claims
        self.readsUserInfo = readsUserInfo
        self.limit = limit
        self.store = store
        clients = [sessions] + others.filter { $0.keys.issuer == sessions.keys.issuer }
        self.revocations = revocations
        redemptions = CodeRedemptions(
            store: store,
            sealing: sessions.sealing,
            answerLifetime: .seconds(60),
            memory: BrowserLogin.lifetime,
            redemptionTime: CodeRedemptions.signInTime,
            clock: sessions.clock
        )
    }

    static let loginPlace = "/login"
    static let callbackPlace = "/callback"
    static let sessionPlace = "/session"
    static let listPlace = "/sessions"
    static let logoutPlace = "/logout"

    /// Starts a sign-in: `GET …/login`, with `return_to` for the page after it.
    public var login: BrowserLogin { BrowserLogin(browser: self) }
    /// Finishes a sign-in: `GET …/callback`, to which the issuer redirects the browser.
    public var callback: BrowserCallback { BrowserCallback(browser: self) }
    /// Returns the browser's session to a page: `GET …/session`.
    public var session: BrowserSessionEndpoint { BrowserSessionEndpoint(browser: self) }
    /// Lists the user's sessions and ends them: `GET` and `DELETE …/sessions`.
    public var list: BrowserSessionList { BrowserSessionList(browser: self) }
    /// Signs the user out: `POST …/logout`, and `GET` of the URL that its response names.
    public var logout: BrowserLogout { BrowserLogout(browser: self) }

    /// Whether a path, with or without a query, is the one of an endpoint as browsers know it.
    func hasEndpoint(at target: String) -> Bool {
        let path = URIParts(base.description)?.path ?? ""
        let places = [Self.loginPlace, Self.callbackPlace, Self.sessionPlace, Self.listPlace, Self.logoutPlace]
        let found = target.prefix { $0 != "?" && $0 != "#" }
        return places.contains { found == (path == "/" ? "" : path) + $0 }
    }

    /// The redirect to ``login`` for a user who waits for a page and has no session.
    ///
    /// `nil` for a script, for a request that changes something, and for another refusal. Also for `strict` cookies,
    /// with which the page after the sign-in would lead to the sign-in again.
    ///
    /// - Parameters:
    ///   - request: The request, whose target is the page's address as browsers know it.
    ///   - refusal: The reason for which it has no session.
    /// - Returns: The redirect, or `nil`.
    public func redirect(from request: ServerRequest, after refusal: BrowserRefusal) -> ServerResponse? {
        guard cookies.sameSite == .lax, request.method == .get, Self.isPage(request.fields) else { return nil }
        return loginRedirect(after: refusal, returningTo: request.target)
    }

    /// The redirect to ``login``; `nil` for a refusal that a sign-in cannot resolve.
    func loginRedirect(after refusal: BrowserRefusal, returningTo target: String?) -> ServerResponse? {
        guard refusal.response.status == .unauthorized else { return nil }
        var place = Parameters()
        place["return_to"] = target.flatMap { ReturnAddress($0, pages: pages)?.text }
        let query = place.names.isEmpty ? "" : "?" + FormURLEncoding.encode(place)
        // Traefik resolves a relative URL against its own address for this service.
        var response = BrowserPage.redirect(to: base.description + Self.loginPlace + query)
        response.status = .found
        response.reason = refusal.response.reason
        return response
    }

    /// Whether a user waits for a page, and not a script for data.
    static func isPage(_ fields: HTTPFields) -> Bool {
        if let mode = fields[.secFetchMode] { return mode == "navigate" }
        return fields[values: .accept].contains { $0.lowercased().contains("text/html") }
    }

    // MARK: The session of a request

    /// The session of a browser's request.
    ///
    /// - Throws: ``BrowserRefusal``: `foreignPage` for a request that a page of another origin caused, `noSession`, `ended`,
    ///   `storeUnavailable`. Its response has the fields of ``sharing(with:)``.
    public func session(of request: ServerRequest) async throws(BrowserRefusal) -> ServerSession {
        let sharing = sharing(with: request)
        let isOwn = pages.admits(request.fields, method: request.method)
        guard NamedCheck.holds("browser.origin", isOwn) else { throw BrowserRefusal(.foreignPage, adding: sharing) }
        return try await known(request.fields, adding: sharing)
    }

    /// The session of a cookie, whatever page the request is from.
    func known(
        _ fields: HTTPFields,
        adding sharing: HTTPFields = [:]
    ) async throws(BrowserRefusal) -> ServerSession {
        guard let handle = cookies.session(in: fields) else { throw BrowserRefusal(.noSession, adding: sharing) }
        let session: ServerSession?
        do throws(StorageFailure) {
            session = try await sessions.browserSession(of: Secret(handle))
        } catch {
            throw BrowserRefusal(.storeUnavailable(error), adding: sharing)
        }
        // The cookie stays: a late response must not remove the one that a sign-in in another window has set meanwhile.
        guard let session else { throw BrowserRefusal(.ended, adding: sharing) }
        return session
    }

    /// The fields that let a page of a named origin read the response to a request; none for other pages.
    public func sharing(with request: ServerRequest) -> HTTPFields { pages.sharing(request.fields) }

    /// The response to a preflight request, which precedes a request across origins (Fetch standard, section 3.3.3).
    ///
    /// - Parameters:
    ///   - request: The request with the method OPTIONS.
    ///   - methods: The methods of the route.
    /// - Returns: The response, with the fields of CORS where the origin is one of those that the sign-in names.
    public func preflight(_ request: ServerRequest, methods: [HTTPRequest.Method]) -> ServerResponse {
        pages.preflight(request.fields, methods: methods)
    }
}
