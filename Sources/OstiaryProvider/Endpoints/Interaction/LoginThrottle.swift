import OstiaryCompatibility
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Slows down guessing: failures within a window block a name for the rest of it.
///
/// Unknown names are counted as well, so that a block does not reveal which users exist.
struct LoginThrottle: Sendable {
    /// The failures that block a name.
    struct Limits: Sendable, Hashable {
        /// The number of failures.
        var failures = 10
        /// The time within which they count, and for which they block.
        var window = Duration.seconds(300)
    }

    /// More names than anyone mistypes; the oldest is forgotten first.
    private static let maximumNames = 10_000

    private var failures: [SecretDigest: [Date]] = [:]

    /// Seconds until a name may be tried again; `nil` when it may be tried now.
    func wait(_ name: String, _ limits: Limits = Limits(), now: Date) -> Double? {
        let recent = recent(SecretDigest(name), limits, now).suffix(limits.failures)
        guard recent.count == limits.failures, let first = recent.first else { return nil }
        return limits.window.inSeconds - now.timeIntervalSince(first)
    }

    /// The reason that a user has to wait, and the next step, in English.
    static func sentence(_ seconds: Double, _ aMinute: PageText, _ minutes: PageText) -> String {
        let count = Int((seconds / 60).rounded(.up))
        return count > 1 ? minutes.text(in: .english, "\(count)") : aMinute.english
    }

    mutating func recordFailure(_ name: String, _ limits: Limits = Limits(), now: Date) {
        let key = SecretDigest(name)
        failures[key] = (recent(key, limits, now) + [now]).suffix(limits.failures)
        guard failures.count > Self.maximumNames else { return }
        failures = failures.filter { !recent($0.key, limits, now).isEmpty }
        if failures.count > Self.maximumNames,
            let oldest = failures.min(by: { ($0.value.last ?? now) < ($1.value.last ?? now) })
        {
            failures[oldest.key] = nil
        }
    }

    mutating func recordSuccess(_ name: String) {
        failures[SecretDigest(name)] = nil
    }

    private func recent(_ key: SecretDigest, _ limits: Limits, _ now: Date) -> [Date] {
        (failures[key] ?? []).filter { now.timeIntervalSince($0) < limits.window.inSeconds }
    }
}
