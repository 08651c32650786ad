import Foundation

/// When the token of a running program is renewed.
struct RenewalSchedule: Sendable, Hashable {
    /// When the token expires.
    let expiry: Date
    /// How long it lives in all, in seconds; `nil` when the server did not say.
    let lifetime: Double?
    /// How long a token has to be good for at least, in seconds.
    let minimumValidity: Double

    /// How many seconds before its expiry it is renewed: half its life for one that lives for less than twice what was asked
    /// for, as it would otherwise be renewed all the time.
    var margin: Double {
        // A second is what a renewal may take.
        let wanted = max(minimumValidity, 1)
        return min(wanted, lifetime.map { $0 / 2 } ?? wanted)
    }

    /// How many seconds to wait, 1 at least.
    ///
    /// A server may answer a renewal with a token that is due already, such as the same one until it expires: it is asked
    /// again after half of what is left.
    func wait(at now: Date) -> Double {
        let rest = expiry.timeIntervalSince(now)
        return max(1, rest > margin ? rest - margin : rest / 2)
    }

    /// Whether it is to be renewed; half a second early, as waiting is not exact.
    func isDue(at now: Date) -> Bool { expiry.timeIntervalSince(now) <= margin + 0.5 }
}
