public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Ensures that one instance at a time refreshes a session, and that no refresh token is presented twice, unless its lease
/// was released.
///
/// An instance that refreshes a session leases it in the version that it read, marks the refresh token as presented,
/// presents it, and replaces the session, which ends the lease. An instance that does not get the lease reads the
/// session again, and never presents the token that it read before. If the holder crashes before the mark, the lease
/// passes to the next one. If it crashes afterwards, the token may have been used, so it is not presented again (RFC
/// 9700 section 4.14.2).
public protocol RefreshLeaseStore: Sendable {
    /// Leases a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - version: The version that was read.
    ///   - owner: The identifier of this attempt.
    ///   - expiry: The end of the lease.
    ///   - now: The time.
    /// - Returns: Whether the caller has the lease, and otherwise the reason.
    /// - Throws: The store's failure, after which the session may have been leased all the same.
    func lease(
        _ session: StoreDigest,
        version: Int,
        owner: String,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> RefreshLeaseAnswer

    /// Records that the refresh token of a lease is about to be presented.
    ///
    /// - Returns: Whether it may be presented: only once, while the lease is this owner's and has not expired, and the
    ///   session is still of this version.
    func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool

    /// Releases a lease whose refresh token was certainly not used, or may be presented again: the next holder may present
    /// it.
    ///
    /// It does nothing when the lease has passed to another owner.
    func release(_ lease: RefreshLease) async throws(StorageFailure)
}

/// The right to refresh one session as it was read.
public struct RefreshLease: Sendable, Hashable {
    /// The session.
    public let session: StoreDigest
    /// The version of the session.
    public let version: Int
    /// The identifier of the attempt that holds it.
    public let owner: String
    /// The end of the lease.
    public let expiry: Date

    /// Describes a lease that a store granted.
    public init(session: StoreDigest, version: Int, owner: String, expiry: Date) {
        self.session = session
        self.version = version
        self.owner = owner
        self.expiry = expiry
    }
}

/// The answer of a ``RefreshLeaseStore``.
public enum RefreshLeaseAnswer: Sendable, Hashable {
    /// The caller holds the lease.
    case granted(RefreshLease)
    /// Another owner holds the lease, until then.
    case held(until: Date)
    /// The session was replaced since it was read, or removed: read it again.
    case superseded
    /// The token was presented with an unknown result, and cannot be used any more.
    case lost
}
