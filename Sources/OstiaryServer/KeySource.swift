public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds an issuer's keys and keeps them: one for each issuer of a resource server, shared by all its routes.
///
/// Keys are fetched when they are first needed, once an hour, and once when a token names a key that is not among
/// them; however many requests wait, one fetch is under way at a time. When a fetch fails, the keys at hand stay in use
/// for a day: a sign-in server that is down signs nobody out here. (OpenID Connect Core section 10.1.1)
public actor KeySource {
    /// Whose keys these are.
    public nonisolated let issuer: Issuer

    /// How long the issuer is left alone after a failed fetch, in seconds.
    static let retryPause: Double = 5
    /// How long metadata is used without looking again, in seconds.
    static let metadataLifetime: Double = 3600
    /// How long keys are used that could not be fetched again, in seconds.
    static let maximumAge: Double = 86_400

    private let transport: any HTTPTransport
    private let now: @Sendable () -> Date
    private let context: ExchangeContext

    private var cache = KeySetCache()
    private var fetched: Date?
    private var failure: (error: SignInError, at: Date)?
    private var known: (server: AuthorizationServer, read: Date)?
    private var fetch: Task<Result<JSONWebKeySet, SignInError>, Never>?
    private let isFixed: Bool

    /// Makes a source that has no keys yet; ``warm()`` fetches them before the first request does.
    ///
    /// - Parameters:
    ///   - issuer: Whose keys to find.
    ///   - server: The server's metadata, for a server that publishes none; otherwise it is read when it is needed.
    ///   - transport: What carries requests.
    ///   - now: The time. Default: the system's clock.
    ///   - report: Called after each exchange; it is told nothing secret. Default: nobody is told.
    /// - Throws: `configuration` at stage `keys` when the metadata is of another issuer.
    public init(
        issuer: Issuer,
        server: AuthorizationServer? = nil,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Date = { Date() },
        reporting report: (@Sendable (ExchangeReport) -> Void)? = nil
    ) throws(SignInError) {
        guard server.map({ $0.issuer == issuer }) ?? true else {
            throw SignInError(.keys, .configuration("The metadata is of another issuer: give that of \(issuer)."))
        }
        self.issuer = issuer
        known = server.map { ($0, now()) }
        isFixed = server != nil
        self.transport = transport
        self.now = now
        context = ExchangeContext(clock: ServerClock(DeviceClock(now: now)), reporting: report ?? { _ in })
    }

    /// Fetches the keys, such as before a server says that it is ready.
    ///
    /// - Throws: What kept them from being fetched, at stage `discovery` or `keys`.
    public func warm() async throws(SignInError) {
        if cache.isStale(at: now()) { _ = try await fetchedKeys().get() }
    }

    /// The keys to check a signature with.
    ///
    /// They need not hold one that fits: then the issuer has none, and the token is to be refused.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; `nil` when it has none.
    ///   - algorithm: The token's algorithm, which has to be one that the caller accepts.
    /// - Throws: What kept the keys from being fetched, at stage `discovery` or `keys`, when no key at hand fits.
    public func keys(keyID: String?, algorithm: SignatureAlgorithm) async throws(SignInError) -> JSONWebKeySet {
        switch cache.answer(keyID: keyID, algorithm: algorithm, at: now()) {
        case .hit(let keys): return keys
        case .refuse(let keys) where failure == nil: return keys
        // After a failed fetch a key may be missing that the issuer has: that is no fault of the token.
        case .refuse, .fetch: return try await searched(keyID, algorithm)
        }
    }

    private func searched(_ keyID: String?, _ algorithm: SignatureAlgorithm) async throws(SignInError) -> JSONWebKeySet
    {
        func fits(_ keys: JSONWebKeySet) -> Bool { !keys.candidates(keyID: keyID, algorithm: algorithm).isEmpty }
        // While the issuer is down, only the first request waits to find that out.
        if let failure, let keys = cache.keys, isUsable, fits(keys) {
            if !isRecent(failure.at) { startFetch() }
            return keys
        }
        let isOld = fetch != nil
        var result = await fetchedKeys()
        // A fetch that was under way may have been answered before the key was published.
        if isOld, case .success(let keys) = result, !fits(keys) { result = await fetchedKeys() }
        switch result {
        case .success(let keys): return keys
        case .failure(let error):
            guard let keys = cache.keys, isUsable, fits(keys) else { throw error }
            return keys
        }
    }

    /// Whether keys that could not be fetched again are still young enough.
    private var isUsable: Bool { fetched.map { now().timeIntervalSince($0) <= Self.maximumAge } ?? false }

    private func isRecent(_ failure: Date) -> Bool { abs(now().timeIntervalSince(failure)) < Self.retryPause }

    /// Joins the fetch that is under way, or starts one, unless the last one has just failed.
    private func fetchedKeys() async -> Result<JSONWebKeySet, SignInError> {
        if let failure, fetch == nil, isRecent(failure.at) { return .failure(failure.error) }
        return await startFetch().value
    }

    @discardableResult
    private func startFetch() -> Task<Result<JSONWebKeySet, SignInError>, Never> {
        if let fetch { return fetch }
        // A task of its own: a caller that goes away does not take the fetch of the others with it.
        let task = Task { await fetchKeys() }
        fetch = task
        return task
    }

    private func fetchKeys() async -> Result<JSONWebKeySet, SignInError> {
        defer { fetch = nil }
        do throws(SignInError) {
            let server = try await discovered()
            let keys = try await transport.perform(KeySetFetch(server), in: context)
            cache.store(keys, at: now())
            fetched = now()
            failure = nil
            return .success(cache.keys ?? keys)
        } catch {
            failure = (error, now())
            // The keys may have moved: the next fetch looks the place up again.
            known?.read = .distantPast
            return .failure(error)
        }
    }

    /// The server's metadata: read from the OpenID Connect document, or from the OAuth one where there is no other.
    private func discovered() async throws(SignInError) -> AuthorizationServer {
        if let known, isFixed || now().timeIntervalSince(known.read) < Self.metadataLifetime { return known.server }
        do throws(SignInError) {
            let found: AuthorizationServer
            do throws(SignInError) {
                found = try await transport.perform(Discovery(issuer), in: context)
            } catch  where error.reason == .server(status: 404) {
                found = try await transport.perform(Discovery(issuer, form: .oauth), in: context)
            }
            known = (found, now())
            return found
        } catch {
            // Metadata that cannot be read is no sign that the keys have moved.
            guard let known else { throw error }
            return known.server
        }
    }
}
