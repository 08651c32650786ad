import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Counts each client's token requests of the last minute.
final class SSAFYThrottle: Sendable {
    private static let window: Double = 60
    private let limit: Int
    private let times = Lock<[String: [Date]]>([:])

    init(limit: Int) { self.limit = max(1, limit) }

    /// Counts a request; seconds to wait when it is one too many.
    func wait(for clientID: String, now: Date) -> Int? {
        times.withLock { times in
            var recent = (times[clientID] ?? []).filter { now.timeIntervalSince($0) < Self.window }
            defer { times[clientID] = recent }
            guard recent.count >= limit, let first = recent.first else {
                recent.append(now)
                return nil
            }
            return max(1, Int((Self.window - now.timeIntervalSince(first)).rounded(.up)))
        }
    }
}
