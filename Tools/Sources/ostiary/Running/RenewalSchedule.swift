import Foundation

/// The schedule for refreshing the token of a running program.
struct RenewalSchedule: Sendable, Hashable {
    /// The expiry of the token.
    let expiry: Date
    /// The full lifetime of the token; `nil` when the server named none.
    let lifetime: Duration?
    /// The minimum remaining validity of a token.
    let minimumValidity: Duration

    /// The time before its expiry at which the token is refreshed.
    ///
    /// That is half the lifetime of a token that lives for less than twice the minimum validity, which would otherwise
    /// be refreshed all the time.
    var margin: Duration {
        // A refresh may take a second.
        let wanted = max(minimumValidity, .seconds(1))
        return min(wanted, lifetime.map { $0 / 2 } ?? wanted)
    }

    /// Returns the time to wait, at least a second.
    ///
    /// A server may respond to a refresh with a token that is due already, such as the same one until it expires. The
    /// next refresh then comes after half of the remaining time.
    func wait(at now: Date) -> Duration {
        let rest = rest(at: now)
        return max(.seconds(1), rest > margin ? rest - margin : rest / 2)
    }

    /// Whether it is to be renewed; half a second early, as waiting is not exact.
    func isDue(at now: Date) -> Bool { rest(at: now) <= margin + .milliseconds(500) }

    private func rest(at now: Date) -> Duration {
        // A day is far enough: a program waits for an hour at most.
        .seconds(min(max(expiry.timeIntervalSince(now), 0), 86_400 * 365))
    }
}
