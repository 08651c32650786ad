import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The reason of each client's last pushed request that was refused.
///
/// The refusal of a client that goes on to the authorization endpoint all the same has it, too.
final class RefusedPushes: Sendable {
    /// The time that a reason is kept, in seconds.
    private static let memory = 60.0
    private static let maximumClients = 100

    private let reasons = Lock<[String: (reason: String, time: Date)]>([:])

    func note(_ reason: String, of clientID: String, at now: Date) {
        reasons.withLock { reasons in
            let id = clientID.logged
            if reasons[id] == nil, reasons.count >= Self.maximumClients { reasons = [:] }
            reasons[id] = (reason, now)
        }
    }

    /// The reason, for a short while; `nil` for none.
    func reason(of clientID: String, at now: Date) -> String? {
        reasons.withLock { reasons in
            reasons[clientID.logged].flatMap { now.timeIntervalSince($0.time) < Self.memory ? $0.reason : nil }
        }
    }

    /// Forgets the reason, after a request that was taken.
    func forget(_ clientID: String) { reasons.withLock { $0[clientID.logged] = nil } }

    /// Forgets the reasons of every client.
    func clear() { reasons.withLock { $0 = [:] } }
}
