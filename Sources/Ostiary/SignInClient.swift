public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
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
    public let client: Client
    /// Which account this client keeps a session for, when an app keeps several.
    public let account: String?

    let policy: SessionPolicy
    let userAgent: any UserAgent
    let transport: any HTTPTransport
    let store: any SecretStore
    let directory: IssuerDirectory
    let now: @Sendable () -> Date
    let random: @Sendable () -> any RandomNumberGenerator
    let events: @Sendable (FlowEvent) -> Void

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
    ///   - now: The time. Default: the system's clock.
    ///   - random: A new source of secure random numbers for each request. Default: the operating system's.
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
        now: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
        events: @escaping @Sendable (FlowEvent) -> Void = { _ in }
    ) {
        self.issuer = issuer
        self.client = client
        self.account = account
        self.policy = policy
        self.userAgent = userAgent
        self.transport = transport
        self.store = store
        self.now = now
        self.random = random
        self.events = events
        directory = IssuerDirectory(
            issuer: issuer,
            server: server,
            transport: transport,
            now: now,
            random: random,
            report: { events(.exchange($0)) }
        )
    }

    /// Asks a person to sign in, and returns their session, which is stored by then.
    ///
    /// A session that was stored before is replaced, and nothing of it is kept, once every check has passed; until then
    /// it stays as it is.
    ///
    /// - Throws: What went wrong and at which stage; nothing is stored then, and a session from before still is.
    public func signIn(_ request: AuthorizationRequest = AuthorizationRequest()) async throws(SignInError) -> Session {
        let server = try await directory.server()
        let attempt = try await userAgent.attempt(awaiting: client.redirectURI)
        let pending: PendingAuthorization
        do throws(SignInError) {
            var client = client
            client.redirectURI = attempt.redirectURI
            var random = random()
            pending = try request.prepared(for: client, at: server, using: &random)
        } catch {
            await attempt.abandon()
            throw error
        }
        let warming = Task { [directory] in await directory.warm() }
        defer { warming.cancel() }
        events(.openedPage(pending.url.withoutQuery))
        let redirect = try await open(pending.url, in: attempt)
        let grant = try pending.grant(from: redirect)
        events(.redirectAccepted)
        let tokens = try await redeem(grant.exchange())
        let session = Session(tokens, of: self)
        do throws(SignInError) {
            try await session.save()
        } catch {
            // Nobody will ever use them.
            _ = await revoke(tokens)
            throw error
        }
        events(.signedIn)
        return session
    }

    /// The session that was stored, if there is one.
    ///
    /// Nothing is sent.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    public func restoreSession() async throws(SignInError) -> Session? {
        let value: [UInt8]?
        do throws(StorageFailure) {
            value = try await store.read(storeKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let value else { return nil }
        let tokens = try StoredSession(value).tokens
        guard tokens.issuer == issuer, tokens.clientID == client.id else {
            throw SignInError(.storage, .storage(.corrupted))
        }
        events(.restored)
        return Session(tokens, of: self)
    }

    /// Where the session is kept.
    var storeKey: StoreKey { .session(issuer: issuer, clientID: client.id, account: account) }

    /// Carries out a token exchange and every check of its answer: the one way to tokens, for each kind of grant.
    func redeem<G: Grant & ~Copyable>(_ exchange: consuming TokenExchange<G>) async throws(SignInError) -> TokenSet {
        let requested = now()
        let response = try await transport.perform(exchange, reporting: { [events] in events(.exchange($0)) })
        let keys = try await directory.keys(for: response.signature)
        return try response.validated(by: keys, now: now(), requested: requested)
    }

    /// Shows a page, for as long as the policy allows.
    func open(_ url: URL, in attempt: UserAgentAttempt) async throws(SignInError) -> URL {
        let deadline = policy.browserDeadline
        let result = await withTaskGroup(of: Result<URL, SignInError>?.self) { group in
            group.addTask {
                do throws(SignInError) { return .success(try await attempt.open(url)) } catch { return .failure(error) }
            }
            group.addTask {
                do { try await Task.sleep(for: deadline) } catch { return nil }
                return .failure(SignInError(.authorization, .timedOut))
            }
            defer { group.cancelAll() }
            while let first = await group.next() {
                if let first { return first }
            }
            return .failure(SignInError(.authorization, .cancelled))
        }
        return try result.get()
    }
}
