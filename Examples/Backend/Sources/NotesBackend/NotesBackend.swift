import HTTPTypes
public import Hummingbird
import NIOCore
import OstiaryHummingbird
import OstiaryJOSE
public import OstiaryOAuth
import OstiarySSAFYServer
public import OstiaryServer

/// The routes of a small app that keeps notes.
///
/// Every part of the kit takes what it needs as a value, so the whole is put together here, once, and what is wrong with it is thrown before
/// anything listens.
public struct NotesBackend: Sendable {
    /// The issuer's keys; ``KeySource/warm()`` fetches them before the first request.
    public let keys: KeySource
    private let server: ResourceServer
    private let signIn: BackendSignIn
    private let sessions: ServerSessions
    private let logout: BackChannelLogout
    private let membership: SSAFYHandoff
    private let store: any ServerStore
    private let policy: AccessTokenPolicy
    private let notebook = Notebook()

    /// Puts the backend together.
    ///
    /// - Parameters:
    ///   - settings: The settings that differ from place to place.
    ///   - store: The store of everything that all instances have to know.
    ///   - transport: The HTTP transport for requests to the issuers.
    ///   - clock: The time. Default: the system's.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        _ settings: NotesSettings,
        store: any ServerStore,
        transport: any HTTPTransport,
        clock: DeviceClock = .server
    ) throws {
        self.store = store
        keys = try KeySource(issuer: settings.issuer, transport: transport, clock: clock)
        let proofs = try ProofChecking(origins: [ExternalOrigin(settings.origin)], replays: store)
        server = ResourceServer(
            keys: [keys],
            dpop: proofs,
            metadata: try .init(settings.origin),
            clock: clock
        )
        policy = try AccessTokenPolicy(issuer: settings.issuer, audience: settings.origin)
        sessions = ServerSessions(
            client: try Client(
                id: settings.clientID,
                redirectURI: settings.redirectURI,
                authentication: .clientSecretPost(settings.clientSecret)
            ),
            keys: keys,
            store: store,
            sealing: settings.sealing,
            dpop: proofs,
            transport: transport,
            clock: clock
        )
        signIn = try BackendSignIn(sessions: sessions, scopes: [.openID, .profile, .offlineAccess], store: store)
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
        membership = try SSAFYHandoff(
            settings.membership,
            store: store,
            sealing: settings.sealing,
            transport: transport,
            clock: clock
        )
    }

    /// Waits until no refresh and no sign-in is under way any more.
    public func settle() async { await sessions.settle() }

    /// Revokes refresh tokens that the issuer has not revoked when their sessions ended, until the task is cancelled.
    public func revokePendingContinuously() async { await sessions.revokePendingContinuously() }

    /// The routes.
    public func router() throws -> Router<NotesContext> {
        let router = Router(context: NotesContext.self)
        router.add(middleware: RequestIDMiddleware())
        router.add(LivenessEndpoint(), at: "/health")
        router.add(ReadinessEndpoint([.keys(keys), storeCheck]), at: "/ready")
        router.add(signIn.start, at: "/auth/start", sender: Self.sender)
        router.add(signIn.finish, at: "/auth/finish", sender: Self.sender)
        router.add(MeEndpoint(sessions: sessions), at: "/me")
        router.add(logout, at: "/auth/signed-out")
        router.add(membership, at: "/membership", sender: Self.sender)
        try addNotes(to: router)
        return router
    }

    /// Notes may be read with any token for this server; to erase them, the user has to have signed in within five minutes, and the app to
    /// prove the key that its token is bound to.
    private func addNotes(to router: Router<NotesContext>) throws {
        let reading = try server.resource(policy.requiring(["notes"]))
        let erasing = try reading.requiring(["notes.erase"], maximumAge: .seconds(300), binding: .dpop)
        // The document for clients is made of the server's own settings.
        if let place = server.metadata { router.add(ResourceMetadataDocument(at: place, of: [reading, erasing])) }
        let notebook = notebook
        let notes = router.group("notes")
        notes.group().add(middleware: AccessTokenMiddleware(reading))
            .get { _, context in
                let subject = try context.requireAccessToken().subject
                return Self.json(["notes": .array(await notebook.notes(of: subject).map(JSONValue.string))])
            }
            .post { request, context in
                let subject = try context.requireAccessToken().subject
                let body = try await request.body.collect(upTo: 4096)
                guard let note = String(validating: body.readableBytesView, as: UTF8.self), !note.isEmpty else {
                    throw HTTPError(.badRequest)
                }
                await notebook.add(note, of: subject)
                return Response(status: .noContent)
            }
        notes.group().add(middleware: AccessTokenMiddleware(erasing))
            .delete { _, context in
                await notebook.erase(of: try context.requireAccessToken().subject)
                return Response(status: .noContent)
            }
    }

    /// Whether the store answers.
    private var storeCheck: ReadinessEndpoint.Check {
        ReadinessEndpoint.Check("store") { [store] in
            do {
                _ = try await store.verification(of: "")
                return .ready
            } catch {
                return .unavailable
            }
        }
    }

    /// The sender that limits count: the other end of the connection.
    ///
    /// Behind a proxy it is what that proxy says, and nothing that a client can write.
    private static let sender: @Sendable (Request, NotesContext) -> String? = { $1.remoteAddress?.ipAddress }

    private static func json(_ object: JSONObject) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: object.encoded()))
        )
    }
}
