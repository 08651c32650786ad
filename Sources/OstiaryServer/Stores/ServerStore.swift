public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Everything that a backend stores, in one place that all its instances share.
///
/// Every part can also be stored separately; a type that takes a store requires only the parts that it needs. Every
/// store guarantees, and `ServerStoreCheck` of OstiaryTesting checks:
///
/// - Every call is atomic among all instances: of two concurrent ones, one is complete before the other begins.
/// - A change that returned survives the process and the machine, as far as the store is persistent at all; one that
///   threw may or may not have been made.
/// - The time is the caller's. An entry that has expired by that time is absent, whether or not it was removed yet.
/// - Times keep at least their milliseconds.
///
/// All calls throw `unavailable` when the store cannot be reached and `locked` when it was busy for too long, after
/// both of which they may be repeated, and `corrupted` when a stored value cannot be read, which is then left in place.
///
/// The list grows with the library. A store of another kind conforms to the protocols that it serves, and not to this
/// name; the library's types require those alone.
public typealias ServerStore = ReplayStore & RedemptionStore & OneTimeStore & ServerSessionStore & RefreshLeaseStore
    & VerificationRecordStore & RateLimitStore & RevocationStore & PendingRevocationStore & SessionListStore
    & ExpiringStore

/// A store from which expired entries are removed.
public protocol ExpiringStore: Sendable {
    /// Removes some expired entries, the oldest first.
    ///
    /// Several instances may do so concurrently, without waiting for each other.
    ///
    /// - Parameters:
    ///   - limit: The largest number of entries to remove; none for a limit below 1.
    ///   - now: The time.
    /// - Returns: The number of removed entries; fewer than `limit` when no more had expired.
    /// - Throws: The store's failure, after which some entries may have been removed all the same.
    func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int
}
