public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Everything that a backend keeps, in one place that all its instances share.
///
/// Each part can also be kept by itself; what takes a store asks for the part that it needs. What every store promises,
/// and `ServerStoreCheck` of the testing kit checks:
///
/// - Each call is atomic among all instances: of two that race, one comes wholly before the other.
/// - A change that was answered outlives the process and the machine, as far as the store lasts at all; one that threw may
///   or may not have been made.
/// - Time is what the caller says. What has expired by that time is not there, whether or not it was removed yet.
/// - Times keep at least their milliseconds.
///
/// All calls throw `unavailable` when the store cannot be reached, `locked` when somebody else kept it busy for too long
/// (both may be tried again), and `corrupted` when what is stored cannot be read, which is then left as it is.
///
/// The list grows with the kit. A store of another kind conforms to the protocols that it serves, and not to this name; the
/// types of the kit ask for those alone.
public typealias ServerStore = ReplayStore & RedemptionStore & OneTimeStore & ServerSessionStore & RefreshLeaseStore
    & VerificationRecordStore & RateLimitStore & RevocationStore & SessionListStore & ExpiringStore

/// A store from which what has expired is removed.
public protocol ExpiringStore: Sendable {
    /// Removes some of what has expired, oldest first.
    ///
    /// Several instances may do so at once; they do not wait for each other.
    ///
    /// - Parameters:
    ///   - limit: The most entries to remove, more than 0.
    ///   - now: The time.
    /// - Returns: How many were removed; fewer than `limit` when no more had expired.
    func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int
}
