import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Counts requests for rate limits, among all instances.
public protocol RateLimitStore: Sendable {
    /// Counts one request, unless it exceeds the limit.
    ///
    /// - Parameters:
    ///   - limit: The limit.
    ///   - name: The digest of the sender and the kind of request.
    ///   - now: The time.
    /// - Returns: Whether the request is within the limit.
    /// - Throws: The store's failure, after which the request may have been counted all the same.
    func take(_ limit: RateLimit, for name: StoreDigest, now: Date) async throws(StorageFailure) -> RateLimitAnswer
}

/// The answer of a ``RateLimitStore`` to a request.
public enum RateLimitAnswer: Sendable, Hashable {
    /// The request is within the limit.
    case allowed
    /// The request exceeds the limit; the next one may come after this time, more than 0.
    case limited(retryAfter: Duration)
}

/// A number of requests per period: as many at once, and then one whenever there is room for it again.
///
/// For each sender a single time has to be stored: when the whole limit is available again. (ITU-T I.371 annex A, the
/// generic cell rate algorithm)
public struct RateLimit: Sendable, Hashable {
    /// The largest number of requests at once, at least 1.
    public let count: Int
    /// The time after which the whole limit is available again, more than 0.
    public let period: Duration

    /// So many requests in a period; values below one request or a millisecond are raised to it.
    public init(_ count: Int, per period: Duration) {
        self.count = max(1, count)
        self.period = max(.milliseconds(1), period)
    }

    /// The time that one request uses up.
    public var interval: Duration { period / count }

    /// Returns the answer to a request, and the time to store.
    ///
    /// - Parameters:
    ///   - full: The stored time at which the whole limit is available again; `nil` without one.
    ///   - now: The time.
    /// - Returns: The answer, and the new time to store, at which the entry expires; `nil` when nothing changes.
    public func answer(full: Date?, now: Date) -> (answer: RateLimitAnswer, full: Date?) {
        let start = max(full ?? now, now)
        let next = start.addingTimeInterval(interval.inSeconds)
        let wait = next.timeIntervalSince(now) - period.inSeconds
        // Less than a microsecond is a rounding error of the division above.
        guard wait > 0.000_001 else { return (.allowed, next) }
        return (.limited(retryAfter: Duration(boundedSeconds: wait)), nil)
    }
}
