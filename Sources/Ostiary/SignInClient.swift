import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs people in at one authorization server.
///
///     let client = try SignInClient(
///         issuer: "https://id.example.com", clientID: "my-app", redirectURI: "com.example.app:/callback")
///     let session = try await client.signIn()
///     let token = try await session.accessToken()
public struct SignInClient: Sendable {
    /// Who signs people in.
    public let issuer: Issuer
    /// The client, and what it insists on.
    public internal(set) var client: Client
    /// Which account this client keeps a session for, when an app keeps several.
    public let account: String?

    let policy: SessionPolicy
    let userAgent: any UserAgent
    let transport: any HTTPTransport
    let store: any SecretStore
    let directory: IssuerDirectory
    let device: DeviceClock
    let context: ExchangeContext
    /// For resource servers: what their answers say of the time is not the issuer's time.
    let resourceContext: ExchangeContext
    let random: @Sendable () -> any RandomNumberGenerator
    let events: @Sendable (FlowEvent) -> Void
    let lock: any ProcessLock
    let backgroundTime: any BackgroundTime
    let sessions = LiveSessions()
    private let turns = SignInTurns()

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - issuer: Who signs people in.
    ///   - client: The client as it is registered there.
    ///   - server: The server's metadata, for a server that publishes none; otherwise it is read when it is needed.
    ///   - account: Tells the sessions of several accounts apart.
    ///   - userAgent: What shows the sign-in page.
    ///   - transport: What carries requests.
    ///   - store: What keeps the session.
    ///   - policy: How a sign-in and its session behave.
    ///   - clock: The device's clocks; they are corrected by what the server's answers say of the time. Default: the
    ///     system's.
    ///   - random: A new source of secure random numbers for each request. Default: the operating system's.
    ///   - lock: What keeps others who share the store from refreshing at the same time. Default: the store's own, or one for
    ///     this client.
    ///   - backgroundTime: What keeps the system from suspending the app between a redirect and its session, and in a
    ///     refresh. Default: the system's.
    ///   - events: Told of each step; it may not block.
    public init(
        issuer: Issuer,
        client: Client,
        server: AuthorizationServer? = nil,
        account: String? = nil,
        userAgent: any UserAgent,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = MemoryStore(),
        policy: SessionPolicy = SessionPolicy(),
        clock: DeviceClock = .system,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        lock: (any ProcessLock)? = nil,
        backgroundTime: any BackgroundTime = SystemBackgroundTime(),
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) {
        self.issuer = issuer
        self.client = client
        self.account = account
        self.policy = policy
        self.userAgent = userAgent
        self.transport = transport
        self.store = store
        device = clock
        self.random = random
        self.events = events
        self.lock = lock ?? store.processLock ?? InProcessLock()
        self.backgroundTime = backgroundTime
        context = ExchangeContext(
            clock: ServerClock(clock, maximumCorrection: policy.maximumClockCorrection),
            random: random,
            reporting: { events(.exchange($0)) }
        )
        resourceContext = ExchangeContext(
            clock: ServerClock(clock, maximumCorrection: policy.maximumClockCorrection),
            random: random,
            reporting: { events(.exchange($0)) }
        )
        directory = IssuerDirectory(issuer: issuer, server: server, transport: transport, context: context)
    }

    /// How wrong this device's clock is by the server's; `nil` before the server's first answer.
    public var clockOffset: ClockOffset? { context.clock.offset }

    /// Asks a person to sign in, and returns their session, which is stored by then.
    ///
    /// A session that was stored before is replaced, and nothing of it is kept, once every check has passed; until then
    /// it stays as it is. What this client gave out before has ended then (``SessionEnd/replaced``).
    ///
    /// - Throws: What went wrong and at which stage; nothing is stored then, and a session from before still is.
    ///   `alreadyInProgress` while another sign-in of this client is under way, unless ``SessionPolicy/secondSignIn`` says
    ///   otherwise.
    public func signIn(_ request: AuthorizationRequest = AuthorizationRequest()) async throws(SignInError) -> Session {
        try await turns.take(policy.secondSignIn) { () async throws(SignInError) -> Session in
            let grant = try await authorize(request)
            return try await session(from: grant)
        }
    }

    /// Redeems a code and stores what it buys; the system is asked not to suspend the app meanwhile, as the code is good
    /// once.
    func session(from grant: consuming AuthorizationGrant) async throws(SignInError) -> Session {
        let time = await backgroundTime.begin("Signing in", expired: {})
        defer { time?.release() }
        let tokens = try await redeem(grant.exchange())
        return try await begin(tokens)
    }

    /// Asks a person to sign in, and returns the code for the app's own backend to redeem.
    ///
    /// Every check of the redirect is made; no token request is, and nothing is stored.
    ///
    /// - Throws: What went wrong: at stage `authorization`, `discovery` or `redirect`.
    public func handOff(
        _ request: AuthorizationRequest = AuthorizationRequest()
    ) async throws(SignInError) -> CodeHandOff {
        try await authorize(request).handedOff()
    }

    /// Shows the page and checks what comes back.
    private func authorize(_ request: AuthorizationRequest) async throws(SignInError) -> AuthorizationGrant {
        let server = try await directory.server()
        noteClock()
        let attempt = try await userAgent.attempt(awaiting: client.redirectURI)
        let pending: PendingAuthorization
        do throws(SignInError) {
            var client = client
            client.redirectURI = attempt.redirectURI
            pending = try await prepare(request, for: client, at: server)
            try await remember(pending)
        } catch {
            await attempt.abandon()
            throw error
        }
        let warming = Task { [directory] in await directory.warm() }
        defer { warming.cancel() }
        events(.openedPage(pending.url.withoutQuery))
        let answer: Result<URL, SignInError>
        do throws(SignInError) {
            answer = .success(try await attempt.open(pending.url, within: policy.browserDeadline))
        } catch {
            answer = .failure(error)
        }
        await forgetRemembered()
        return try granted(pending, by: try answer.get())
    }

    /// Checks a redirect, and tells of every check.
    func granted(_ pending: PendingAuthorization, by redirect: URL) throws(SignInError) -> AuthorizationGrant {
        let grant = try recording(.redirect) { (verdict) throws(SignInError) in
            try pending.grant(from: redirect, recording: &verdict)
        }
        events(.redirectAccepted)
        return grant
    }

    /// Stores the tokens of a new session, which replaces the one before.
    func begin(_ tokens: TokenSet) async throws(SignInError) -> Session {
        var random = random()
        let record = StoredSession(tokens, using: &random)
        do throws(SignInError) {
            try await vault.put(record)
        } catch {
            // Nobody will ever use them.
            _ = await revoke(tokens)
            throw error
        }
        let coordinator = RefreshCoordinator(record, of: self)
        sessions.replace(by: coordinator)
        events(.signedIn)
        await startRetryingRevocations()
        return Session(coordinator, of: self)
    }

    /// The session that was stored, if there is one.
    ///
    /// Nothing is sent. All that is restored of one stored session is one session: it is refreshed once, and ends once.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restoreSession() async throws(SignInError) -> Session? {
        let record = try await vault.read()
        return try record.map { (record) throws(SignInError) in try session(stored: record) }
    }

    /// A session of what a store had.
    func session(stored record: StoredSession) throws(SignInError) -> Session {
        guard record.tokens.issuer == issuer, record.tokens.clientID == client.id else {
            throw SignInError(.storage, .storage(.corrupted))
        }
        let session = Session(sessions.coordinator(of: record, for: self), of: self)
        events(.restored)
        return session
    }

    /// Where the session is kept, with the lock of whoever writes there.
    var vault: SessionVault { SessionVault(store: store, key: storeKey, lock: lock) }

    /// Where the session is kept.
    var storeKey: StoreKey { .session(issuer: issuer, clientID: client.id, account: account) }

    /// Fixes the request's one-time values, and pushes it when it has to be.
    private func prepare(
        _ request: AuthorizationRequest,
        for client: Client,
        at server: AuthorizationServer
    ) async throws(SignInError) -> PendingAuthorization {
        guard try request.isPushed(by: client, to: server) else {
            var random = random()
            return try request.prepared(for: client, at: server, using: &random)
        }
        // A server may name this endpoint in its second document only.
        let isKnown = server.pushedAuthorizationRequestEndpoint != nil
        let server = isKnown ? server : try await directory.completeServer()
        return try await transport.perform(try pushed(request, for: client, at: server), in: context)
    }

    private func pushed(
        _ request: AuthorizationRequest,
        for client: Client,
        at server: AuthorizationServer
    ) throws(SignInError) -> PushedAuthorization {
        var random = random()
        return try request.pushed(for: client, at: server, using: &random)
    }

    /// Carries out a token exchange and every check of its answer: the one way to tokens, for each kind of grant.
    func redeem<G: Grant & ~Copyable>(_ exchange: consuming TokenExchange<G>) async throws(SignInError) -> TokenSet {
        let answer = try await answer(to: exchange)
        return try validated(answer, by: try await directory.keys(for: answer.response.signature))
    }

    /// Carries out a token exchange, and leaves its answer unchecked.
    func answer<G: Grant & ~Copyable>(
        to exchange: consuming TokenExchange<G>
    ) async throws(SignInError) -> UncheckedAnswer {
        let (requested, requestedOnDevice) = (context.clock.now, context.clock.shown)
        let response = try await transport.perform(exchange, in: context)
        events(.checked(response.verdict))
        noteClock()
        return UncheckedAnswer(response: response, requested: requested, requestedOnDevice: requestedOnDevice)
    }

    /// Makes every check of an answer.
    ///
    /// - Parameter report: Told of the checks, whether or not they hold.
    func validated(
        _ answer: UncheckedAnswer,
        by keys: JSONWebKeySet,
        reporting report: (Verdict) -> Void = { _ in }
    ) throws(SignInError) -> TokenSet {
        try recording(.identity) { (verdict) throws(SignInError) in
            defer { report(verdict) }
            return try answer.response.validated(
                by: keys,
                now: context.clock.now,
                requested: answer.requested,
                received: answer.requestedOnDevice,
                recording: &verdict
            )
        }
    }

    /// Makes checks, and tells of them whether or not they hold.
    func recording<T: ~Copyable>(
        _ stage: SignInError.Stage,
        _ checks: (inout Verdict) throws(SignInError) -> T
    ) throws(SignInError) -> T {
        var verdict = Verdict(stage)
        defer { if !verdict.entries.isEmpty { events(.checked(verdict)) } }
        return try checks(&verdict)
    }

    /// Tells of a wrong clock, once: it is corrected here, and still wrong for everything else on the device.
    func noteClock() {
        if let offset = context.clock.offsetToTell() { events(.clockIsWrong(offset)) }
    }
}
