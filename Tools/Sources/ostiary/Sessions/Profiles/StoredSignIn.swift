import Ostiary
import OstiaryOAuth

/// A session that was kept, with its profile.
struct StoredSignIn: Sendable {
    let profile: Profile
    let record: ProfileRecord
    let client: SignInClient
    let session: Session
    private let place: SessionOptions

    /// Reads the session of a profile and uses it.
    ///
    /// Other processes may do so at the same time, since a refresh takes a lock that they share.
    ///
    /// `origins` are those to which a token may be presented. `server` holds further deviations to accept from the
    /// issuer; they are stored with the session.
    ///
    /// - Throws: `signInRequired` when there is none, `storage` when it cannot be read; the error of the use.
    static func with<Output>(
        _ options: SessionOptions,
        showing userAgent: some UserAgent = NoUserAgent(),
        allowing origins: Set<Origin> = [],
        accepting server: ServerOptions? = nil,
        telling trace: Trace,
        _ use: (StoredSignIn) async throws -> Output
    ) async throws -> Output {
        let signIn = try await StoredSignIn(
            options,
            showing: userAgent,
            allowing: origins,
            accepting: server,
            telling: trace
        )
        do {
            return try await use(signIn)
        } catch let error as SignInError {
            if case .storage = error.reason, !Task.isCancelled, await !signIn.client.settle(within: .zero) {
                // Tokens came and could not be stored: they are stored first, and used then.
                guard await Settlement(telling: .standard).wait() else {
                    throw LeftBehind(isInterrupted: Interruption.hasCome)
                }
                return try await use(signIn)
            }
            if error.endsSession, let end = signIn.session.end { throw EndedSession(cause: error, end: end) }
            throw error
        }
    }

    /// Returns an access token, and never one that this command line has revoked.
    ///
    /// - Throws: As `Session.accessToken(for:minimumValidity:)`; ``ExplainedError`` when a new one cannot be had.
    func accessToken(
        for resource: ResourceIndicator?,
        minimumValidity: Duration?
    ) async throws -> Secret {
        let token = try await session.accessToken(for: resource, minimumValidity: minimumValidity)
        guard let revoked = record.revokedToken, revoked == token.fingerprint else { return token }
        guard session.isRefreshable else {
            throw ExplainedError(
                SignInError(.refresh, .signInRequired),
                "The access token of profile \"\(profile.name)\" was revoked, and there is no refresh token.",
                advice: "Run: \(LoginLine(place).text)"
            )
        }
        return try await session.refresh()
    }

    private init(
        _ options: SessionOptions,
        showing userAgent: some UserAgent,
        allowing origins: Set<Origin>,
        accepting server: ServerOptions?,
        telling trace: Trace
    ) async throws {
        place = options
        profile = Profile(name: options.profile, store: options.store.open())
        guard var record = try await profile.record() else {
            throw await ExplainedError(noSession: options, hasClient: false)
        }
        if let server { record = try await profile.accept(server, for: record) }
        var policy = SessionPolicy()
        policy.resourceOrigins = origins
        let client = try await SignInClient(
            record,
            of: profile,
            showing: userAgent,
            policy: policy,
            telling: trace
        )
        guard let session = try await client.restoreSession() else {
            throw ExplainedError(notSignedIn: options, hasClient: true)
        }
        self.client = client
        self.record = record
        self.session = session
    }
}

extension SignInClient {
    /// The client of a profile.
    init(
        _ record: ProfileRecord,
        of profile: Profile,
        showing userAgent: some UserAgent = NoUserAgent(),
        policy: SessionPolicy = SessionPolicy(),
        telling trace: Trace
    ) async throws(SignInError) {
        self.init(
            issuer: record.issuer,
            client: try await record.client(of: profile),
            configuration: SignInClient.Configuration(
                server: try record.metadata.map { (metadata) throws(SignInError) in
                    try metadata.server(of: record.issuer)
                },
                account: profile.name.description,
                userAgent: userAgent,
                transport: commandTransport,
                store: profile.store,
                policy: policy,
                events: { trace.record($0) }
            )
        )
    }
}

/// A user agent for commands that present no page.
struct NoUserAgent: UserAgent {
    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        throw SignInError(.authorization, .configuration("This command shows no page."))
    }
}
