#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The limit of fetches that tokens may cause: one in 30 seconds, from a bucket of six that refills in ten minutes.
///
/// A sender chooses the key identifiers of its tokens, so this limits the fetches that a sender can cause. Fetches that
/// are due anyway take nothing from the bucket and do not wait for it.
struct ForcedFetches {
    /// The pause after one, in seconds.
    static let pause: Double = 30
    /// The refill time for one fetch, in seconds.
    static let price: Double = 100
    /// The refill time that the full bucket holds, in seconds.
    static let capacity: Double = 600

    private var credit = capacity
    private var counted: Date?
    private var last: Date?

    /// Takes one fetch from the bucket, if the limit allows it.
    mutating func take(at now: Date) -> Bool {
        // A clock that was set back starts the pause anew, and neither ends it nor makes it last.
        if let last, abs(now.timeIntervalSince(last)) < Self.pause { return false }
        if let counted {
            let elapsed = max(now.timeIntervalSince(counted), 0)
            credit = min(credit + elapsed, Self.capacity)
        }
        counted = now
        guard credit >= Self.price else { return false }
        credit -= Self.price
        last = now
        return true
    }
}
