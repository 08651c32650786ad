import Hummingbird
import HummingbirdCore
import Logging
import OstiaryHummingbird
import OstiaryOAuth
import OstiaryServer

/// The routes of one sign-in: its start and its end, its sessions, and their forwards.
struct SignInRoutes: Sendable {
    private let settings: SignInSettings
    private let signIn: BackendSignIn
    let sessions: ServerSessions
    private let session: SessionPlace
    private let logout: @Sendable ([ServerSessions]) -> BackChannelLogout
    private let forwards: [SessionForward]

    /// - Throws: An error that names the setting and the fix.
    init(
        _ settings: SignInSettings,
        keys: KeySource,
        store: any ServerStore,
        sealing: SealingKeys,
        proofs: ProofChecking,
        revocations: SharedRevocations,
        transport: any HTTPTransport,
        forwarding: any HTTPTransport,
        logger: Logger
    ) throws(SignInError) {
        self.settings = settings
        let reports = SessionReports(logger, section: settings.section, scopes: settings.scopes)
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
        signIn = try BackendSignIn(
            sessions: sessions,
            request: settings.request,
            responseMode: settings.responseMode,
            nativeHost: settings.nativeHost,
            limit: settings.limit,
            store: store
        )
        self.sessions = sessions
        session = SessionPlace(sessions: sessions)
        logout = { clients in
            BackChannelLogout(
                verifier: LogoutTokenVerifier(keys: keys, clientID: settings.client.id, replays: store),
                sessions: store,
                revocations: revocations,
                revokingTokensOf: clients
            )
        }
        forwards = settings.forwards.map {
            SessionForward(settings: $0, sessions: sessions, transport: forwarding)
        }
    }

    /// Adds the routes; `bodyDeadline` limits the time for a body, `sender` returns the client address that starts a
    /// sign-in, and the issuer's logout ends the sessions of all `clients`.
    func mount(
        on router: Router<BackendContext>,
        clients: [ServerSessions],
        bodyDeadline: Duration,
        sender: @escaping @Sendable (Request, BackendContext) -> String?
    ) {
        func place(_ name: String) -> RouterPath { RouterPath(settings.path + name) }
        router.add(signIn.start, at: place("/start"), bodyDeadline: bodyDeadline, sender: sender)
        router.add(signIn.finish, at: place("/finish"), bodyDeadline: bodyDeadline, sender: sender)
        if let response = signIn.response {
            router.add(response, at: place(SignInSettings.responsePlace), bodyDeadline: bodyDeadline, sender: sender)
        }
        router.add(session, at: place("/session"), for: SessionPlace.methods, bodyDeadline: bodyDeadline)
        router.add(logout(clients), at: place("/logout"), bodyDeadline: bodyDeadline)
        for forward in forwards {
            for path in [forward.settings.path, forward.settings.path + "/**"] {
                router.add(
                    forward,
                    at: RouterPath(path),
                    for: SessionForward.methods,
                    bodyDeadline: bodyDeadline
                )
            }
        }
    }
}
