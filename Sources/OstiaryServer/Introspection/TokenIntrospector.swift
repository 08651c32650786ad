import OstiaryCompatibility
public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Asks an issuer what tokens are, and remembers its answers for a short time: for tokens that say nothing by themselves.
///
/// However many requests bring one token, one question is under way at a time. What the issuer said of a good token is
/// remembered for a minute and never beyond the token's end; that one is not good, for five seconds; that the issuer did not
/// answer, not at all. What is remembered was said to this resource server, and each policy is checked on each request.
/// (RFC 7662, RFC 9701)
public final class TokenIntrospector: Sendable {
    /// How the issuer answers.
    public enum Form: Sendable, Hashable {
        /// In JSON (RFC 7662).
        case json
        /// Signed with one of these, for who has to show later what it was told (RFC 9701).
        case signed(Set<SignatureAlgorithm>)
    }

    /// How long answers are remembered.
    public struct Lifetimes: Sendable, Hashable {
        /// Of a good token, in seconds: as long may a revoked one go on.
        public var active: Double
        /// Of one that is not good, in seconds.
        public var inactive: Double
        /// A minute and five seconds unless told otherwise; 0 remembers nothing.
        public init(active: Double = 60, inactive: Double = 5) {
            self.active = min(max(active, 0), 3600)
            self.inactive = min(max(inactive, 0), 60)
        }
    }

    /// Whom it asks.
    public var issuer: Issuer { keys.issuer }

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

    /// Makes one that asks as a client of the issuer.
    ///
    /// - Parameters:
    ///   - keys: Whom to ask; its keys are used for signed answers alone.
    ///   - clientID: As which client this resource server asks.
    ///   - authentication: How it proves that it is. (RFC 7662 section 2.1)
    ///   - server: The server's metadata, for a server that publishes none; otherwise it is read when it is needed.
    ///   - form: How the issuer answers. Default: JSON.
    ///   - lifetimes: How long answers are remembered.
    ///   - maximumBytes: The room that answers take, about. Default 8 MiB.
    ///   - transport: What carries requests.
    ///   - now: The time. Default: the system's clock.
    ///   - report: Called after each exchange; it is told nothing secret. Default: nobody is told.
    /// - Throws: `configuration` when the client identifier is none.
    public init(
        keys: KeySource,
        clientID: String,
        authentication: ClientAuthentication,
        server: AuthorizationServer? = nil,
        form: Form = .json,
        lifetimes: Lifetimes = Lifetimes(),
        maximumBytes: Int = 8_388_608,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Date = { Date() },
        reporting report: @escaping @Sendable (RequestEvent) -> Void = { _ in }
    ) throws(SignInError) {
        // Nobody is sent back to a resource server; a client has a redirect URI all the same.
        client = try Client(id: clientID, redirectURI: RedirectURI("http://127.0.0.1/"), authentication: authentication)
        self.keys = keys
        self.form = form
        self.lifetimes = lifetimes
        self.transport = transport
        self.now = now
        answers = BoundedCache(maximumBytes: maximumBytes)
        context = ExchangeContext(
            clock: ServerClock(DeviceClock(now: now)),
            random: { SystemRandomNumberGenerator() },
            reporting: report
        )
        metadata = IssuerMetadata(issuer: keys.issuer, server: server, transport: transport, context: context, now: now)
    }

    /// What the issuer says of a token: its members, or `nil` when it is not good.
    ///
    /// - Throws: What kept the question from being answered, at stage `discovery`, `keys` or `introspection`.
    func description(of token: Secret) async throws(SignInError) -> JSONObject? {
        let digest = TokenDigest(token.reveal())
        if let known = answers.value(digest, at: now()) { return known }
        let task = flights.withLock { flights in
            if let task = flights[digest] { return task }
            // A task of its own: a caller that goes away does not take the question of the others with it.
            let task = Task { await self.ask(token, digest) }
            flights[digest] = task
            return task
        }
        return try await task.value.get()
    }

    /// What is remembered of a token, without asking; `nil` when nothing is.
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
        let server = try await metadata.server()
        let isSigned = if case .signed = form { true } else { false }
        let exchange = ResourceIntrospectionRequest(token: token, client: client, server: server, isSigned: isSigned)
        let members: JSONObject
        switch try await transport.perform(exchange, in: context) {
        case .plain(let object): members = object
        case .signed(let answer): members = try await verified(answer)
        }
        guard let active = members["active"]?.bool else {
            throw SignInError(.introspection, .malformed("the answer's active"))
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
        guard lifetime > 0 else { return }
        var expiry = now.addingTimeInterval(lifetime)
        if let end = description?.date("exp") { expiry = min(expiry, end) }
        let bytes = (description?.encoded().count ?? 0) * 2
        answers.keep(description, for: digest, bytes: bytes, until: expiry)
    }
}
