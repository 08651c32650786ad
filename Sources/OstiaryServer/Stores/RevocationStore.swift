public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores revocations of access tokens, which every instance of a service reads.
///
/// Instances read the revocations since their last reading. Two concurrent changes may become visible in either order,
/// so the newest entry does not prove that all earlier ones were read: a reader starts some time before it.
public protocol RevocationStore: Sendable {
    /// Stores a revocation.
    ///
    /// A revocation of the same name is merged with it: each of the two times is the later one.
    func revoke(_ record: RevocationRecord) async throws(StorageFailure)

    /// Revocations that have not expired, ordered by their times, and by the bytes of their names where the times are
    /// equal.
    ///
    /// To continue, pass the time and the name of the last one.
    ///
    /// - Parameters:
    ///   - start: The earliest time.
    ///   - last: Of those at that time, only ones after this name; `nil` for all of them.
    ///   - limit: The largest number to return; none for a limit below 1.
    ///   - now: The time.
    /// - Returns: The revocations.
    /// - Throws: The store's failure.
    func revocations(
        since start: Date,
        after last: StoreDigest?,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [RevocationRecord]
}

/// A revocation, whose subject is in the name alone, so that a leaked store names no user.
public struct RevocationRecord: Sendable, Hashable {
    /// The digest of the revoked token, session or user of an issuer.
    public let name: StoreDigest
    /// The time of the revocation.
    public let revokedAt: Date
    /// The time until which it must be known: tokens issued before the revocation have expired by then.
    public let expiry: Date

    /// Makes a revocation that a store returned.
    public init(name: StoreDigest, revokedAt: Date, expiry: Date) {
        self.name = name
        self.revokedAt = revokedAt
        self.expiry = expiry
    }

    /// A revocation with the later of each time.
    package func merged(with other: RevocationRecord?) -> RevocationRecord {
        guard let other else { return self }
        return RevocationRecord(
            name: name,
            revokedAt: max(revokedAt, other.revokedAt),
            expiry: max(expiry, other.expiry)
        )
    }
}
