public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sees to it that of all instances one refreshes a session, and that no refresh token is shown twice.
///
/// Who wants to refresh takes a lease of the session as it was read; says that it is about to show the refresh token; shows it;
/// and replaces the session, which ends the lease. Who does not get the lease reads the session again, and never shows the token that it read
/// before. A lease whose holder died before it showed the token passes to the next one. When it died after that,
/// nobody knows whether the token was used, so it is not shown again (RFC 9700 section 4.14.2).
public protocol RefreshLeaseStore: Sendable {
    /// Takes the lease of a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - version: The version that was read.
    ///   - owner: Who asks; each attempt is an owner of its own.
    ///   - expiry: Until when the lease holds.
    ///   - now: The time.
    func lease(
        _ session: StoreDigest,
        version: Int,
        owner: String,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> RefreshLeaseAnswer

    /// Says that the refresh token of a lease is about to be shown.
    ///
    /// - Returns: Whether it may be: only while the lease is this owner's and holds, the session is still of this version, and
    ///   only once.
    func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool

    /// Gives a lease back whose refresh token was certainly not used, so that it may be shown by the next one.
    ///
    /// It does nothing when the lease has passed to somebody else.
    func giveBack(_ lease: RefreshLease) async throws(StorageFailure)
}

/// The right to refresh one session as it was read.
public struct RefreshLease: Sendable, Hashable {
    /// The session.
    public let session: StoreDigest
    /// The version of the session.
    public let version: Int
    /// Who holds it.
    public let owner: String
    /// Until when.
    public let expiry: Date

    /// Describes a lease that a store gave.
    public init(session: StoreDigest, version: Int, owner: String, expiry: Date) {
        self.session = session
        self.version = version
        self.owner = owner
        self.expiry = expiry
    }
}

/// What a ``RefreshLeaseStore`` says to one who wants to refresh a session.
public enum RefreshLeaseAnswer: Sendable, Hashable {
    /// The lease is the caller's.
    case granted(RefreshLease)
    /// Somebody else has it, until then.
    case held(until: Date)
    /// The session was replaced since it was read, or is gone: read it again.
    case superseded
    /// The token was shown, and nobody knows what came of it: it is of no more use.
    case lost
}
