import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import OstiaryHummingbird
import OstiaryOAuth
import OstiaryServer

/// The endpoints of the sign-in of web apps, of its sessions' forwards, and of the gateway check.
struct BrowserRoutes: Sendable {
    private let settings: BrowserSettings
    private let browser: BrowserSignIn
    private let gateway: GatewayCheck?
    private let logout: @Sendable ([ServerSessions]) -> BackChannelLogout
    private let forwards: [SessionForward]
    let sessions: ServerSessions

    /// - Throws: An error that names the setting and the fix.
    init(
        _ settings: BrowserSettings,
        keys: KeySource,
        store: any ServerStore,
        sealing: SealingKeys,
        proofs: ProofChecking,
        revocations: SharedRevocations,
        others: [ServerSessions],
        transport: any HTTPTransport,
        forwarding: any HTTPTransport,
        logger: Logger
    ) throws(SignInError) {
        self.settings = settings
        let reports = SessionReports(logger, section: "browser", scopes: settings.request.scopes)
        let sessions = ServerSessions(
            client: settings.client,
            keys: keys,
            store: store,
            sealing: sealing,
            dpop: proofs,
            lifetimes: settings.lifetimes,
            lostRefresh: settings.lostRefresh,
            transport: transport,
            events: { reports.note($0) },
            verdicts: { reports.note($0) }
        )
        let browser = try BrowserSignIn(
            sessions: sessions,
            at: settings.base,
            request: settings.request,
            origins: settings.origins,
            landing: settings.landing,
            postLogoutRedirectURI: settings.postLogoutRedirectURI,
            cookies: settings.cookies,
            claims: settings.claims,
            readsUserInfo: settings.readsUserInfo,
            limit: settings.limit,
            alongside: others,
            revocations: revocations,
            store: store
        )
        self.sessions = sessions
        self.browser = browser
        if let gateway = settings.gateway {
            self.gateway = try GatewayCheck(
                browser,
                refusal: gateway.refusal,
                groupsClaim: gateway.groupsClaim,
                admitting: gateway.groups,
                acceptsUnverifiedEmail: gateway.acceptsUnverifiedEmail,
                passesAccessToken: gateway.passesAccessToken
            )
        } else {
            gateway = nil
        }
        logout = { clients in
            BackChannelLogout(
                verifier: LogoutTokenVerifier(keys: keys, clientID: settings.client.id, replays: store),
                sessions: store,
                revocations: revocations,
                revokingTokensOf: clients
            )
        }
        forwards = settings.forwards.map {
            SessionForward(settings: $0, sessions: sessions, browser: browser, transport: forwarding)
        }
    }

    /// Adds the routes; `sender` returns the client address that starts a sign-in.
    ///
    /// `clients` are the sessions that the issuer's logout ends. `proxies` are the addresses that may request the
    /// gateway check; `nil` for every one.
    func mount(
        on router: Router<BackendContext>,
        clients: [ServerSessions],
        proxies: [AddressRange]?,
        bodyDeadline: Duration,
        sender: @escaping @Sendable (Request, BackendContext) -> String?
    ) {
        router.add(browser, at: settings.path, bodyDeadline: bodyDeadline, sender: sender)
        router.add(
            logout(clients),
            at: RouterPath(settings.path + BrowserSettings.backChannelPlace),
            bodyDeadline: bodyDeadline
        )
        if let gateway, let path = settings.gateway?.path {
            // A page's script must not read a response for the proxy, which with access_token contains the access
            // token.
            if let proxies {
                router.group(RouterPath(path)).add(middleware: ProxiesOnly(ranges: proxies)).add(gateway, at: "")
            } else {
                router.add(gateway, at: RouterPath(path))
            }
        }
        for forward in forwards {
            for path in [forward.settings.path, forward.settings.path + "/**"] {
                router.add(
                    forward,
                    at: RouterPath(path),
                    for: SessionForward.methods + [.options],
                    bodyDeadline: bodyDeadline
                )
            }
        }
    }
}
