import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The back-off of sessions whose last refreshes failed.
///
/// A refresh whose response is rejected costs a rotation, and the next one is likely to fail as well; a server that
/// asks for a pause gets one. Every instance keeps its own, in memory: at most 1 MiB, and each session for an hour
/// after its last failure.
struct SessionHoldOffs: Sendable {
    private let sessions = BoundedCache<StoreDigest, RefreshHoldOff>(maximumBytes: 1_048_576)
    private static let memory: Double = 3600

    /// The error for a caller that asks too early; `nil` when the session may be refreshed.
    func refusal(of session: StoreDigest, now: Date, uptime: Double) -> SignInError? {
        sessions.value(session, at: now)?.refusal(at: uptime)
    }

    /// Records a response that failed a check.
    func noteRejection(_ error: SignInError, of session: StoreDigest, now: Date, uptime: Double) {
        change(session, now) { $0.noteRejection(error, at: uptime, jitter: Double.random(in: 0...1)) }
    }

    /// Records a response without tokens, after which the same refresh token is presented again.
    func noteLoss(_ error: SignInError, of session: StoreDigest, now: Date, uptime: Double) {
        change(session, now) { $0.noteLoss(error, at: uptime, jitter: Double.random(in: 0...1)) }
    }

    /// Records a server that failed or asked for a pause.
    func note(_ error: SignInError, of session: StoreDigest, now: Date, uptime: Double) {
        change(session, now) { $0.note(error, at: uptime, jitter: Double.random(in: 0...1)) }
    }

    private func change(_ session: StoreDigest, _ now: Date, _ change: (inout RefreshHoldOff) -> Void) {
        var holdOff = sessions.value(session, at: now) ?? RefreshHoldOff()
        change(&holdOff)
        sessions.keep(
            holdOff,
            for: session,
            bytes: MemoryLayout<RefreshHoldOff>.size,
            until: now.addingTimeInterval(Self.memory)
        )
    }

    /// Forgets a session whose refresh succeeded.
    func forget(_ session: StoreDigest) { sessions.forget(session) }
}
