public import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Finds an issuer's keys and keeps them: one for each issuer of a resource server, shared by all its routes.
///
/// Keys are fetched when they are first needed, before the lifetime that the issuer gives them ends, and once when a token
/// names a key that is not among them; however many requests wait, one fetch is under way at a time. When a fetch fails,
/// the keys at hand stay in use for a day: a sign-in server that is down signs nobody out here.
/// (OpenID Connect Core section 10.1.1)
public final class KeySource: Sendable {
    /// Whose keys these are.
    public let issuer: Issuer

    /// The same keys, for the checks of token responses.
    let keys: IssuerKeys

    /// Makes a source; ``warm()`` fetches the keys before the first request does.
    ///
    /// - Parameters:
    ///   - issuer: Whose keys to find.
    ///   - server: The server's metadata, for a server that publishes none; otherwise it is read when it is needed.
    ///   - snapshot: The keys of an earlier process, to begin with. Default: none.
    ///   - transport: What carries requests.
    ///   - now: The time. Default: the system's clock.
    ///   - jitter: A random number from 0 to 1 for each fetch: where between 75 and 85 per cent of their lifetime keys are
    ///     fetched anew. Default: the system's random numbers.
    ///   - report: Called after each exchange; it is told nothing secret. Default: nobody is told.
    /// - Throws: `configuration` at stage `keys` when the metadata is of another issuer.
    public init(
        issuer: Issuer,
        server: AuthorizationServer? = nil,
        snapshot: KeySetSnapshot? = nil,
        transport: any HTTPTransport,
        now: @escaping @Sendable () -> Date = { Date() },
        jitter: (@Sendable () -> Double)? = nil,
        reporting report: (@Sendable (RequestEvent) -> Void)? = nil
    ) throws(SignInError) {
        guard server.map({ $0.issuer == issuer }) ?? true else {
            throw SignInError(.keys, .configuration("The metadata is of another issuer: give that of \(issuer)."))
        }
        self.issuer = issuer
        let context = ExchangeContext(
            clock: ServerClock(DeviceClock(now: now)),
            random: { SystemRandomNumberGenerator() },
            reporting: report ?? { _ in }
        )
        keys = IssuerKeys(
            metadata: IssuerMetadata(issuer: issuer, server: server, transport: transport, context: context, now: now),
            snapshot: snapshot,
            transport: transport,
            context: context,
            now: now,
            jitter: jitter
        )
    }

    /// How the keys are, for a health check: while they are `stale`, the issuer does not answer.
    public var state: KeySetCache.State { keys.health }

    /// The keys at hand with what is known of their age, for another process to begin with; `nil` before the first fetch.
    public var snapshot: KeySetSnapshot? { keys.snapshot }

    /// Fetches the keys, such as before a server says that it is ready.
    ///
    /// - Throws: What kept them from being fetched, at stage `discovery` or `keys`.
    public func warm() async throws(SignInError) { try await keys.warm() }

    /// The keys at hand, when one of them fits and they need not be fetched first; `nil` asks for
    /// ``keys(keyID:algorithm:)``.
    ///
    /// - Parameters:
    ///   - keyID: The token's `kid`; `nil` when it has none.
    ///   - algorithm: The token's algorithm, which has to be one that the caller accepts.
    public func keysAtHand(keyID: String?, algorithm: SignatureAlgorithm) -> JSONWebKeySet? {
        keys.keysAtHand(keyID: keyID, algorithm: algorithm)
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
        try await keys.keys(keyID: keyID, algorithm: algorithm)
    }
}
