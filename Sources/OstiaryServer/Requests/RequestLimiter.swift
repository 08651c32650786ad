import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Counts requests against limits in a store that all instances share.
///
/// A sender that has exceeded a limit is refused from memory until it may try again, so further requests cost the store
/// nothing.
public final class RequestLimiter: Sendable {
    private let clock: DeviceClock
    /// The time until which a sender has to wait, in at most 1 MiB.
    private let waiting = BoundedCache<StoreDigest, Date>(maximumBytes: 1_048_576)

    /// Makes a limiter that knows of no sender.
    ///
    /// - Parameter clock: Default: the system's.
    public init(clock: DeviceClock = .server) { self.clock = clock }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - name: The sender and the kind of the request.
    ///   - store: The store that counts.
    /// - Returns: The time to wait when the request exceeds the limit; `nil` when it is allowed.
    /// - Throws: A failure of the store; the request may have been counted.
    public func wait(
        _ limit: RateLimit,
        for name: StoreDigest,
        in store: any RateLimitStore
    ) async throws(StorageFailure) -> Duration? {
        let now = clock.now()
        if let end = waiting.value(name, at: now) { return Duration(boundedSeconds: end.timeIntervalSince(now)) }
        guard case .limited(let wait) = try await store.take(limit, for: name, now: now) else { return nil }
        let end = now.addingTimeInterval(wait.inSeconds)
        waiting.keep(end, for: name, bytes: MemoryLayout<Date>.size, until: end)
        return wait
    }
}

extension Duration {
    /// The time as `Retry-After` states it: whole seconds, rounded up (RFC 9110 section 10.2.3).
    package var retryAfter: String { String(Int64(inSeconds.rounded(.up))) }
}
