import Foundation

/// The schedule for refreshing the token of a running program.
struct RenewalSchedule: Sendable, Hashable {
    /// The expiry of the token.
    let expiry: Date
    /// The full lifetime of the token, in seconds; `nil` when the server named none.
    let lifetime: Double?
    /// The minimum remaining validity of a token, in seconds.
    let minimumValidity: Double

    /// The time before its expiry at which the token is refreshed, in seconds.
    ///
    /// That is half the lifetime of a token that lives for less than twice the minimum validity, which would otherwise
    /// be refreshed all the time.
    var margin: Double {
        // A refresh may take a second.
        let wanted = max(minimumValidity, 1)
        return min(wanted, lifetime.map { $0 / 2 } ?? wanted)
    }

    /// Returns the time to wait, in seconds, at least 1.
    ///
    /// A server may respond to a refresh with a token that is due already, such as the same one until it expires. The
    /// next refresh then comes after half of the remaining time.
    func wait(at now: Date) -> Double {
        let rest = expiry.timeIntervalSince(now)
        return max(1, rest > margin ? rest - margin : rest / 2)
    }

    /// Whether it is to be renewed; half a second early, as waiting is not exact.
    func isDue(at now: Date) -> Bool { expiry.timeIntervalSince(now) <= margin + 0.5 }
}
