import NIOCore
import NIOHTTP1
public import OstiaryOAuth
public import OstiaryServer
import OstiaryVapor
public import Vapor

/// The routes of a small app that keeps notes, for apps with access tokens and for browsers with a session.
///
/// Every part of the kit takes what it needs as a value, so the whole is put together here, once, and a mistake is thrown before
/// anything listens.
public struct NotesBackend: Sendable {
    /// The issuer's keys; ``KeySource/warm()`` fetches them before the first request.
    public let keys: KeySource
    private let server: ResourceServer
    private let sessions: ServerSessions
    private let web: BrowserSignIn
    private let logout: BackChannelLogout
    private let policy: AccessTokenPolicy
    private let notebook = Notebook()

    /// Puts the backend together.
    ///
    /// - Parameters:
    ///   - settings: The settings that differ from place to place.
    ///   - store: The store of everything that all instances have to know.
    ///   - transport: The HTTP transport for requests to the issuer.
    ///   - clock: The time. Default: the system's.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        _ settings: NotesSettings,
        store: any ServerStore,
        transport: any HTTPTransport,
        clock: DeviceClock = .server
    ) throws {
        keys = try KeySource(issuer: settings.issuer, transport: transport, clock: clock)
        let proofs = try ProofChecking(origins: [ExternalOrigin(settings.origin)], replays: store)
        server = ResourceServer(keys: [keys], dpop: proofs, metadata: try .init(settings.origin), clock: clock)
        policy = try AccessTokenPolicy(issuer: settings.issuer, audience: settings.origin)
        let base = settings.origin + "/web"
        sessions = ServerSessions(
            client: try Client(
                id: settings.clientID,
                redirectURI: try RedirectURI(base + "/callback"),
                authentication: .clientSecretBasic(settings.clientSecret)
            ),
            keys: keys,
            store: store,
            sealing: settings.sealing,
            dpop: proofs,
            transport: transport,
            clock: clock
        )
        web = try BrowserSignIn(
            sessions: sessions,
            at: ExternalOrigin(base),
            request: AuthorizationRequest(scopes: [.openID, .profile, .offlineAccess]),
            cookies: BrowserCookies(sameSite: .lax),
            store: store
        )
        logout = BackChannelLogout(
            verifier: LogoutTokenVerifier(
                keys: keys,
                clientID: settings.clientID,
                replays: store,
                clock: clock
            ),
            sessions: store,
            // The issuer has ended the session, and keeps a refresh token for offline access.
            revokingTokensOf: [sessions]
        )
    }

    /// Waits until no refresh and no sign-in is under way any more.
    public func settle() async { await sessions.settle() }

    /// Revokes refresh tokens that the issuer has not revoked when their sessions ended, until the task is cancelled.
    public func revokePendingContinuously() async { await sessions.revokePendingContinuously() }

    /// Adds the routes to an app.
    public func mount(on app: Application) throws {
        app.add(LivenessEndpoint(), at: "/health")
        app.add(ReadinessEndpoint([.keys(keys)]), at: "/ready")
        app.add(web, at: "/web", sender: Self.sender)
        app.add(logout, at: "/web/backchannel-logout")
        // A page that a browser loads: without a session it leads to the sign-in and back.
        app.grouped(BrowserSessionMiddleware(web, refusing: .redirect)).get("me") { request in
            try request.auth.require(ServerSession.self).subject
        }
        try addNotes(to: app)
    }

    /// Notes may be read with any token for this server that has the scope; to erase them, the user has to have signed in within five
    /// minutes, and the app to prove the key that its token is bound to.
    private func addNotes(to app: Application) throws {
        let reading = try server.resource(policy.requiring(["notes"]))
        let erasing = try reading.requiring(["notes.erase"], maximumAge: .seconds(300), binding: .dpop)
        // The document for clients is made of the server's own settings.
        if let place = server.metadata { app.add(ResourceMetadataDocument(at: place, of: [reading, erasing])) }
        let notebook = notebook
        let notes = app.grouped(AccessTokenMiddleware(reading)).grouped("notes")
        notes.get { request in
            await notebook.notes(of: try request.auth.require(VerifiedAccessToken.self).subject)
        }
        notes.on(.POST, body: .collect(maxSize: 4096)) { request in
            guard let note = request.body.string, !note.isEmpty else { throw Abort(.badRequest) }
            await notebook.add(note, of: try request.auth.require(VerifiedAccessToken.self).subject)
            return HTTPStatus.noContent
        }
        app.grouped(AccessTokenMiddleware(erasing)).delete("notes") { request in
            await notebook.erase(of: try request.auth.require(VerifiedAccessToken.self).subject)
            return HTTPStatus.noContent
        }
    }

    /// The sender that limits count: the other end of the connection.
    ///
    /// Behind a proxy it is what that proxy says, and nothing that a client can write; `peerAddress` reads what clients write.
    private static let sender: @Sendable (Request) -> String? = { $0.remoteAddress?.ipAddress }
}
