public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Fetches and caches an issuer's keys: one for each issuer of a resource server, shared by all routes.
///
/// Keys are fetched on first use, before their lifetime ends, and once when a token names an unknown key; concurrent
/// requests share one fetch. When a fetch fails, the cached keys stay in use for a day, so an outage of the issuer does
/// not invalidate sessions here. (OpenID Connect Core section 10.1.1)
public final class KeySource: Sendable {
    /// The issuer of the keys.
    public let issuer: Issuer

    /// The same keys, for the checks of token responses.
    let keys: IssuerKeys

    /// Makes a source; ``warm()`` fetches the keys before the first request needs them.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the keys.
    ///   - server: The server's metadata, for a server that does not publish it; otherwise it is fetched on demand.
    ///   - snapshot: The keys of an earlier process. Default: none.
    ///   - transport: The HTTP transport used for every request.
    ///   - clock: The time. Default: the system's.
    ///   - jitter: A random number from 0 to 1 for each fetch, which selects a refresh time between 75 and 85 percent
    ///     of the keys' lifetime. Default: the system's random numbers.
    ///   - events: Called after each exchange, without secrets. Default: none.
    /// - Throws: `configuration` at stage `keys` when the metadata is another issuer's.
    public init(
        issuer: Issuer,
        server: AuthorizationServer? = nil,
        snapshot: KeySetCache.Snapshot? = nil,
        transport: any HTTPTransport,
        clock: DeviceClock = .server,
        jitter: (@Sendable () -> Double)? = nil,
        events: (@Sendable (RequestEvent) -> Void)? = nil
    ) throws(SignInError) {
        guard server.map({ $0.issuer == issuer }) ?? true else {
            throw SignInError(.keys, .configuration("The metadata is another issuer's: give that of \(issuer)."))
        }
        self.issuer = issuer
        let context = ExchangeContext(
            clock: ServerClock(clock),
            random: { SystemRandomNumberGenerator() },
            events: events ?? { _ in }
        )
        keys = IssuerKeys(
            metadata: IssuerMetadata(
                issuer: issuer,
                server: server,
                transport: transport,
                context: context,
                now: clock.now
            ),
            snapshot: snapshot,
            transport: transport,
            context: context,
            now: clock.now,
            jitter: jitter
        )
    }

    /// The state of the keys, for a health check: `stale` means that the issuer does not answer.
    public var state: KeySetCache.State { keys.health }

    /// The cached keys with their age, for another process; `nil` before the first fetch.
    public var snapshot: KeySetCache.Snapshot? { keys.snapshot }

    /// Fetches the keys, such as before a server reports that it is ready.
    ///
    /// - Throws: The failure of the fetch, at stage `discovery` or `keys`.
    public func warm() async throws(SignInError) { try await keys.warm() }

    /// The cached keys, when one of them matches and no fetch is due; `nil` asks for ``keys(keyID:algorithm:)``.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; `nil` when it has none.
    ///   - algorithm: The token's algorithm, which must be one that the caller accepts.
    /// - Returns: All cached keys, or `nil`.
    public func cachedKeys(keyID: String?, algorithm: SignatureAlgorithm) -> JSONWebKeySet? {
        keys.cachedKeys(keyID: keyID, algorithm: algorithm)
    }

    /// The keys to verify a signature with.
    ///
    /// If none of them matches, the issuer has no such key, and the token must be rejected.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; `nil` when it has none.
    ///   - algorithm: The token's algorithm, which must be one that the caller accepts.
    /// - Returns: All keys of the issuer.
    /// - Throws: The failure of the fetch, at stage `discovery` or `keys`, when no cached key matches.
    public func keys(keyID: String?, algorithm: SignatureAlgorithm) async throws(SignInError) -> JSONWebKeySet {
        try await keys.keys(keyID: keyID, algorithm: algorithm)
    }
}
