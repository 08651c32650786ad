/// The clock, random source, nonces and observer that all exchanges with one issuer and its resource servers share.
///
/// A client keeps one value; copies share its state.
public struct ExchangeContext: Sendable {
    /// The time by the server's clock.
    public let clock: ServerClock
    let random: @Sendable () -> any RandomNumberGenerator
    let nonces = DPoPNonces()
    let attestations = Attestations()
    let report: @Sendable (RequestEvent) -> Void

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - clock: Updated by each response.
    ///   - random: A new secure generator for each request.
    ///   - events: Called once for each request when it has ended, without secrets.
    public init(
        clock: ServerClock,
        random: @escaping @Sendable () -> any RandomNumberGenerator,
        events: @escaping @Sendable (RequestEvent) -> Void = { _ in }
    ) {
        self.clock = clock
        self.random = random
        report = events
    }

    /// The newest nonces of servers, for another process.
    package func newestNonces(_ count: Int) -> [KeptNonce] { nonces.newest(count) }

    /// Takes nonces that an earlier process kept.
    package func restore(_ kept: [KeptNonce]) { nonces.restore(kept) }

    /// Returns the fresh values for the next request.
    func freshness() -> Freshness {
        Freshness(now: clock.now, random: random(), nonces: nonces, attestations: attestations)
    }
}
