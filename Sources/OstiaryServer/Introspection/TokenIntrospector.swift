import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Introspects opaque tokens at their issuer, and caches the responses for a short time. (RFC 7662, RFC 9701)
///
/// Concurrent requests with one token share one introspection request. The description of an active token is cached for
/// a minute and never beyond the token's expiry, an inactive token for five seconds, and a failure not at all. The
/// responses were made for this resource server, and every policy is checked on every request.
public final class TokenIntrospector: Sendable {
    /// The format of introspection responses.
    public enum Form: Sendable, Hashable {
        /// JSON (RFC 7662).
        case json
        /// Signed with one of these algorithms, for a resource server that must prove the response later (RFC 9701).
        case signed(Set<SignatureAlgorithm>)
    }

    /// The lifetimes of cached responses.
    public struct Lifetimes: Sendable, Hashable {
        /// Of an active token: for that long a revoked one stays in effect.
        public var active: Duration
        /// Of an inactive token.
        public var inactive: Duration
        /// A minute and five seconds by default; 0 disables caching.
        public init(active: Duration = .seconds(60), inactive: Duration = .seconds(5)) {
            self.active = min(max(active, .zero), .seconds(3600))
            self.inactive = min(max(inactive, .zero), .seconds(60))
        }
    }

    /// The issuer that is asked.
    public var issuer: Issuer { keys.issuer }

    /// The most requests that are under way at a time: tokens that an attacker makes up open no more connections than that.
    static let maximumRequests = 64

    private typealias Outcome = Result<JSONObject?, SignInError>

    private let client: Client
    private let form: Form
    private let lifetimes: Lifetimes
    private let keys: KeySource
    private let metadata: IssuerMetadata
    private let transport: any HTTPTransport
    private let context: ExchangeContext
    private let now: @Sendable () -> Date
    private let answers: BoundedCache<TokenDigest, JSONObject?>
    private let flights = Lock<[TokenDigest: Task<Outcome, Never>]>([:])

    /// Makes an introspector that authenticates as a client of the issuer.
    ///
    /// - Parameters:
    ///   - keys: The issuer to ask; its keys are used for signed responses alone.
    ///   - clientID: The client identifier of this resource server.
    ///   - authentication: The client authentication. (RFC 7662 section 2.1)
    ///   - server: The server's metadata, for a server that does not publish it; otherwise it is fetched on demand.
    ///   - form: The format of the responses. Default: JSON.
    ///   - lifetimes: The lifetimes of cached responses.
    ///   - maximumBytes: The approximate size limit of the cache. Default 8 MiB.
    ///   - transport: The HTTP transport used for every request.
    ///   - clock: The time. Default: the system's.
    ///   - events: Called after each exchange, without secrets. Default: none.
    /// - Throws: `configuration` for an invalid client identifier.
    public init(
        keys: KeySource,
        clientID: String,
        authentication: ClientAuthentication,
        server: AuthorizationServer? = nil,
        form: Form = .json,
        lifetimes: Lifetimes = Lifetimes(),
        maximumBytes: Int = 8_388_608,
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        events: @escaping @Sendable (RequestEvent) -> Void = { _ in }
    ) throws(SignInError) {
        // Introspection needs no redirect URI, but a client has one.
        client = try Client(id: clientID, redirectURI: RedirectURI("http://127.0.0.1/"), authentication: authentication)
        self.keys = keys
        self.form = form
        self.lifetimes = lifetimes
        self.transport = transport
        now = clock.now
        answers = BoundedCache(maximumBytes: maximumBytes)
        context = ExchangeContext(
            clock: ServerClock(clock),
            random: { SystemRandomNumberGenerator() },
            events: events
        )
        metadata = IssuerMetadata(
            issuer: keys.issuer,
            server: server,
            transport: transport,
            context: context,
            now: clock.now
        )
    }

    /// Returns the members of the issuer's response, or `nil` for an inactive token.
    ///
    /// - Throws: The failure of the exchange, at stage `discovery`, `keys` or `introspection`; `server` with status 503
    ///   while 64 other tokens are introspected.
    func description(of token: Secret) async throws(SignInError) -> JSONObject? {
        let digest = TokenDigest(token.reveal())
        if let known = answers.value(digest, at: now()) { return known }
        let flight = flights.withLock { flights -> Task<Outcome, Never>? in
            if let task = flights[digest] { return task }
            guard flights.count < Self.maximumRequests else { return nil }
            // An unstructured task: a cancelled caller must not cancel the request of the others.
            let task = Task { await self.ask(token, digest) }
            flights[digest] = task
            return task
        }
        guard let flight else {
            var error = SignInError(.introspection, .server(status: 503))
            error.retryAfter = .seconds(1)
            throw error
        }
        return try await flight.value.get()
    }

    /// The cached response for a token; `nil` without one.
    func known(_ token: Secret) -> JSONObject?? { answers.value(TokenDigest(token.reveal()), at: now()) }

    private func ask(_ token: Secret, _ digest: TokenDigest) async -> Outcome {
        defer { flights.withLock { $0[digest] = nil } }
        do throws(SignInError) {
            let description = try await answer(to: token)
            remember(description, digest)
            return .success(description)
        } catch {
            return .failure(error)
        }
    }

    private func answer(to token: Secret) async throws(SignInError) -> JSONObject? {
        // A document that is known is used while it is read anew.
        let (server, isDue) = try await metadata.serverAtAnyAge()
        if isDue { Task { [metadata] in _ = try? await metadata.server() } }
        let isSigned = if case .signed = form { true } else { false }
        let exchange = ResourceIntrospectionRequest(token: token, client: client, server: server, isSigned: isSigned)
        let members: JSONObject
        switch try await transport.perform(exchange, in: context) {
        case .plain(let object): members = object
        case .signed(let answer): members = try await verified(answer)
        }
        guard let active = members["active"]?.bool else {
            throw SignInError(.introspection, .malformed("the response's active"))
        }
        return active ? members : nil
    }

    private func verified(_ answer: UnverifiedJWT) async throws(SignInError) -> JSONObject {
        guard case .signed(let algorithms) = form,
            let algorithm = SignatureAlgorithm(rawValue: answer.header.algorithmName)
        else { throw SignInError(.introspection, .mismatch(.algorithm)) }
        return try SignedIntrospectionCheck.description(
            in: answer,
            by: await keys.keys(keyID: answer.header.keyID, algorithm: algorithm),
            algorithms: algorithms,
            issuer: issuer,
            clientID: client.id,
            now: now()
        )
    }

    private func remember(_ description: JSONObject?, _ digest: TokenDigest) {
        let now = now()
        let lifetime = description == nil ? lifetimes.inactive : lifetimes.active
        guard lifetime > .zero else { return }
        var expiry = now.addingTimeInterval(lifetime.inSeconds)
        if let end = description?.date("exp") { expiry = min(expiry, end) }
        let bytes = (description?.encoded().count ?? 0) * 2
        answers.keep(description, for: digest, bytes: bytes, until: expiry)
    }
}
