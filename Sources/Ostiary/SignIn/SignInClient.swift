import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs users in at one authorization server.
///
///     let client = try SignInClient(
///         issuer: "https://id.example.com", clientID: "my-app", redirectURI: "com.example.app://callback")
///     let session = try await client.signIn()
///     let token = try await session.accessToken()
public struct SignInClient: Sendable {
    /// The issuer at which users sign in.
    public let issuer: Issuer
    /// The client, and its requirements.
    public internal(set) var client: Client
    /// The account that this client stores a session for, when an app has several.
    public let account: String?

    let policy: SessionPolicy
    let userAgent: any UserAgent
    let transport: any HTTPTransport
    let store: any SecretStore
    let directory: IssuerDirectory
    let device: DeviceClock
    let context: ExchangeContext
    /// For resource servers, whose clocks are not the issuer's.
    let resourceContext: ExchangeContext
    let random: @Sendable () -> any RandomNumberGenerator
    let events: @Sendable (SignInEvent) -> Void
    let lock: any ProcessLock
    let backgroundTime: any BackgroundTime
    /// Shared by all clients of this process with the same stored session.
    let owner: StoredSessionOwner
    /// The requests of this client that have left and whose tokens are not stored yet.
    var work: UnsettledWork { owner.work }

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - issuer: The issuer at which users sign in.
    ///   - client: The client as it is registered there.
    ///   - configuration: The account, user agent, transport, store, policy and observer. Default: the platform's user
    ///     agent and ``defaultStore``.
    public init(issuer: Issuer, client: Client, configuration: Configuration = Configuration()) {
        let (account, store, clock, events) =
            (configuration.account, configuration.store, configuration.clock, configuration.events)
        let maximumCorrection = configuration.policy.maximumClockCorrection
        self.issuer = issuer
        self.client = client
        self.account = account
        policy = configuration.policy
        userAgent = configuration.userAgent
        transport = configuration.transport
        self.store = store
        device = clock
        random = configuration.random
        self.events = events
        owner = .owner(of: .session(issuer: issuer, clientID: client.id, account: account), in: store)
        lock = configuration.lock ?? store.processLock ?? owner.lock
        backgroundTime = configuration.backgroundTime
        context = ExchangeContext(
            clock: ServerClock(clock, maximumCorrection: maximumCorrection),
            random: random,
            events: { events(.exchange($0)) }
        )
        resourceContext = ExchangeContext(
            clock: ServerClock(clock, maximumCorrection: maximumCorrection),
            random: random,
            events: { events(.exchange($0)) }
        )
        directory = IssuerDirectory(
            issuer: issuer,
            server: configuration.server,
            transport: transport,
            context: context,
            resourceContext: resourceContext,
            place: LearnedFactsCache.Place(
                store: store,
                key: .learned(issuer: issuer, clientID: client.id, account: account),
                uptime: clock.uptime
            )
        )
    }

    /// The difference between this device's clock and the server's; `nil` before the server's first response.
    public var clockOffset: ServerClock.Offset? { context.clock.offset }

    /// Signs the user in, and returns the session, already stored.
    ///
    /// An earlier session is replaced entirely, once every check has passed; until then it is unchanged. The earlier
    /// session objects of this client have then ended (``Session/End/replaced``).
    ///
    /// Cancelling the task ends the sign-in until the code has been sent to the server. From then on the response is
    /// awaited and the session is stored and returned, since the code is valid once.
    ///
    /// - Throws: The error and its stage; nothing is stored then, and an earlier session is kept. `alreadyInProgress`
    ///   while another sign-in of this client is in progress, unless ``SessionPolicy/secondSignIn`` says otherwise.
    public func signIn(_ request: AuthorizationRequest = AuthorizationRequest()) async throws(SignInError) -> Session {
        try await owner.turns.take(policy.secondSignIn) { () async throws(SignInError) -> Session in
            let grant = try await authorize(request, redeemingHere: true)
            return try await session(from: grant)
        }
    }

    /// Redeems a code and stores its tokens.
    ///
    /// A code is valid once: the system is asked not to suspend the app meanwhile, and cancelling the caller does not
    /// end it.
    func session(from grant: consuming AuthorizationCodeGrant) async throws(SignInError) -> Session {
        let request = grant.request
        let exchange = UsedOnce(grant.exchange())
        return try await carryThrough { () async throws(SignInError) -> Session in
            let time = await backgroundTime.begin("Signing in", expired: {})
            defer { time?.release() }
            await owner.revocations.hold()
            defer { owner.revocations.release() }
            guard let exchange = exchange.take() else { throw SignInError(.token, .cancelled) }
            let answer = try await answerRepeatingOnce(to: exchange)
            let session = try await begin(try await accepted(answer))
            await learn(from: session, requestedBy: request)
            return session
        }
    }

    /// Signs the user in, and returns the code for the app's own backend to redeem.
    ///
    /// Every check of the redirect is made. No token request is sent, and nothing is stored.
    ///
    /// - Throws: The error at stage `authorization`, `discovery` or `redirect`.
    public func codeHandoff(
        _ request: AuthorizationRequest = AuthorizationRequest()
    ) async throws(SignInError) -> CodeHandoff {
        try await authorize(request, redeemingHere: false).handedOff()
    }

    /// Presents the page and checks the redirect.
    ///
    /// With `isRedeemedHere` this client redeems the code, and so needs a server whose tokens it can accept.
    private func authorize(
        _ request: AuthorizationRequest,
        redeemingHere isRedeemedHere: Bool
    ) async throws(SignInError) -> AuthorizationCodeGrant {
        let server = try await directory.server(ServerMetadataRequest.Form(for: request.scopes))
        let request = await consenting(request, at: server)
        noteClock()
        if isRedeemedHere { try client.checkRedemption(of: request.scopes, at: server, .authorization) }
        try client.authentication.requireUnexpired(at: context.clock.now)
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
        if !pending.verdict.entries.isEmpty { events(.checked(pending.verdict)) }
        // Only an ID token needs keys.
        let warming = request.scopes.contains(.openID) ? Task { [directory] in await directory.warm() } : nil
        // Now, while the user is at the page, and not once the code is redeemed.
        Task { await retryRevocations() }
        events(.openedPage(pending.url.withoutQuery))
        let answer: Result<URL, SignInError>
        do throws(SignInError) {
            answer = .success(
                try await attempt.open(
                    pending.url,
                    accepting: RedirectPredicate(pending.isAnswered),
                    within: policy.browserDeadline
                )
            )
        } catch {
            answer = .failure(error)
        }
        await forgetRemembered(pending)
        // Revocations that are in progress end before the code is redeemed, here or by the app's backend.
        await owner.revocations.hold()
        owner.revocations.release()
        let grant = try granted(pending, by: try answer.get())
        // No request of a sign-in goes beside another one.
        _ = await warming?.sharedValue()
        return grant
    }

    /// Checks a redirect, and reports every check.
    func granted(_ pending: PendingAuthorization, by redirect: URL) throws(SignInError) -> AuthorizationCodeGrant {
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
        let former: StoredSession?
        do throws(SignInError) {
            former = try await vault.put(record)
        } catch {
            await discardUnstored(tokens)
            throw error
        }
        let coordinator = RefreshCoordinator(record, of: self)
        owner.sessions.replace(by: coordinator, record)
        events(.signedIn)
        await revoke(former, replacedBy: tokens)
        return Session(coordinator, of: self)
    }

    /// Returns the stored session, if there is one.
    ///
    /// Nothing is sent. All objects restored from one stored session are one session: it is refreshed once, and ends
    /// once.
    ///
    /// - Throws: `storage` when the session cannot be read; it is left in place.
    public func restoreSession() async throws(SignInError) -> Session? {
        let record = try await vault.read()
        return try record.map { (record) throws(SignInError) in try session(stored: record) }
    }

    /// Makes a session from a stored one.
    func session(stored record: StoredSession) throws(SignInError) -> Session {
        guard record.tokens.issuer == issuer, record.tokens.clientID == client.id else {
            throw SignInError(.storage, .storage(.corrupted))
        }
        let session = Session(owner.sessions.coordinator(of: record, for: self), of: self)
        events(.restored)
        return session
    }

    /// The stored session, with the lock of its writers.
    var vault: SessionVault { SessionVault(store: store, key: storeKey, lock: lock) }

    /// The store key of the session.
    var storeKey: StoreKey { .session(issuer: issuer, clientID: client.id, account: account) }

    /// Generates the request's one-time values, and pushes the request if required.
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
        let server = isKnown ? server : try await directory.server(with: .pushedAuthorization)
        return try await transport.perform(try pushed(request, for: client, at: server), in: context)
    }

    private func pushed(
        _ request: AuthorizationRequest,
        for client: Client,
        at server: AuthorizationServer
    ) throws(SignInError) -> PushedAuthorizationRequest {
        var random = random()
        return try request.pushed(for: client, at: server, using: &random)
    }

    /// Performs a token request and every check of its response: the only way to tokens, for each kind of grant.
    func redeem<G: Grant & ~Copyable>(_ exchange: consuming TokenRequest<G>) async throws(SignInError) -> TokenSet {
        try await checked(try await answer(to: exchange))
    }

    /// Carries out a token request, and leaves its response unchecked.
    func answer<G: Grant & ~Copyable>(
        to exchange: borrowing TokenRequest<G>
    ) async throws(SignInError) -> UncheckedResponse {
        let (sent, requestedOnDevice) = (device.uptime(), context.clock.shown)
        let response = try await transport.perform(exchange, in: context)
        return unchecked(response, sent: sent, requestedOnDevice)
    }

    /// Makes every check of a token response.
    func checked(_ unchecked: UncheckedResponse) async throws(SignInError) -> TokenSet {
        let checked = try await directory.verifier.check(unchecked)
        report(checked.verdict)
        return try checked.tokens.get()
    }

    /// Performs a refresh, and leaves its response unchecked.
    ///
    /// - Returns: The response, or the refresh token to keep of a malformed one.
    func answer(to exchange: consuming RefreshExchange) async throws(SignInError) -> UncheckedRefresh {
        let (sent, requestedOnDevice) = (device.uptime(), context.clock.shown)
        switch try await transport.perform(exchange, in: context) {
        case .malformed(let error, let successor):
            noteClock()
            return .malformed(error, successor)
        case .response(let response):
            return .response(unchecked(response, sent: sent, requestedOnDevice))
        }
    }

    /// A token response that has just come.
    ///
    /// `sent` is the device's uptime when it was requested, in seconds.
    private func unchecked(
        _ response: TokenResponse,
        sent: Double,
        _ requestedOnDevice: Date
    ) -> UncheckedResponse {
        // Counted back from now: the response may be the first to correct the device's clock.
        let requested = context.clock.now.addingTimeInterval(sent - device.uptime())
        events(.checked(response.verdict))
        noteClock()
        return UncheckedResponse(
            response,
            requested: requested,
            requestedOnDevice: requestedOnDevice,
            keyFetches: directory.keyFetches
        )
    }

    /// Reports checks, if any were made.
    func report(_ verdict: Verdict) {
        if !verdict.entries.isEmpty { events(.checked(verdict)) }
    }

    /// Makes checks, and reports them whether or not they hold.
    func recording<T: ~Copyable>(
        _ stage: SignInError.Stage,
        _ checks: (inout Verdict) throws(SignInError) -> T
    ) throws(SignInError) -> T {
        var verdict = Verdict(stage)
        defer { report(verdict) }
        return try checks(&verdict)
    }

    /// Reports a wrong clock once: it is corrected here, and still wrong for other programs on the device.
    func noteClock() {
        if let offset = context.clock.offsetToTell() { events(.clockIsWrong(offset)) }
    }
}
