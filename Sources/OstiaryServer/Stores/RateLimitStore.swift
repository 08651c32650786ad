public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Counts how often somebody asks, among all instances.
public protocol RateLimitStore: Sendable {
    /// Counts one request, unless it is one too many.
    ///
    /// - Parameters:
    ///   - limit: How many there may be.
    ///   - name: Who asks, and for what.
    ///   - now: The time.
    func take(_ limit: RateLimit, for name: StoreDigest, now: Date) async throws(StorageFailure) -> RateLimitAnswer
}

/// What a ``RateLimitStore`` says to a request.
public enum RateLimitAnswer: Sendable, Hashable {
    /// It may go on.
    case allowed
    /// It comes too soon; the next one may come in so many seconds, more than 0.
    case limited(retryAfter: Double)
}

/// So many requests in so much time: as many at once, and then one whenever room for it has come back.
///
/// One time is all that has to be kept of somebody who asks: when all of the room will be back. (ITU-T I.371 annex A, the
/// generic cell rate algorithm)
public struct RateLimit: Sendable, Hashable {
    /// How many requests may come at once, at least 1.
    public let count: Int
    /// In how many seconds room for all of them comes back, more than 0.
    public let period: Double

    /// So many requests in so many seconds; less than one, or no time, counts as one request or a thousandth of a second.
    public init(_ count: Int, per period: Double) {
        self.count = max(1, count)
        self.period = max(0.001, period)
    }

    /// The time that one request takes away.
    public var interval: Double { period / Double(count) }

    /// What a request is told, and what is kept when it may go on.
    ///
    /// - Parameters:
    ///   - full: When all of the room will be back, as it was kept; `nil` for one who has not asked, or not for long.
    ///   - now: The time.
    /// - Returns: The answer, and the time to keep, until which it has to be kept; `nil` when nothing changes.
    public func answer(full: Date?, now: Date) -> (answer: RateLimitAnswer, full: Date?) {
        let start = max(full ?? now, now)
        let next = start.addingTimeInterval(interval)
        let wait = next.timeIntervalSince(now) - period
        // Less than a microsecond is the rounding of the division above.
        guard wait > 0.000_001 else { return (.allowed, next) }
        return (.limited(retryAfter: wait), nil)
    }
}
