public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps what is taken no more, so that every instance of a service hears of it. (OpenID Connect Back-Channel Logout 1.0)
///
/// Instances read what has been added since they read last. Two changes that are made at once may become visible in either
/// order, so nobody can count on having seen all that is earlier than the newest: a reader begins again some time before.
public protocol RevocationStore: Sendable {
    /// Keeps a revocation.
    ///
    /// Of two of one name there is one, which has the later time of each kind.
    func revoke(_ record: RevocationRecord) async throws(StorageFailure)

    /// Revocations that have not expired, in the order of their times, and in the order of the bytes of their names where the
    /// times are the same.
    ///
    /// To read on, give the time and the name of the last one.
    ///
    /// - Parameters:
    ///   - start: The earliest time.
    ///   - last: Of those of that time, only what comes after this name; `nil` for all of them.
    ///   - limit: How many at most, more than 0.
    ///   - now: The time.
    func revocations(
        since start: Date,
        after last: StoreDigest?,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [RevocationRecord]
}

/// That tokens are taken no more: which is in the name alone, so that a store that leaks names nobody.
public struct RevocationRecord: Sendable, Hashable {
    /// What is revoked: a token, a session or a person of an issuer.
    public let name: StoreDigest
    /// When it was.
    public let revokedAt: Date
    /// Until when that has to be known: no token of then is good any more.
    public let expiry: Date

    /// Puts together what a store kept.
    public init(name: StoreDigest, revokedAt: Date, expiry: Date) {
        self.name = name
        self.revokedAt = revokedAt
        self.expiry = expiry
    }

    /// One with the later time of each kind.
    package func merged(with other: RevocationRecord?) -> RevocationRecord {
        guard let other else { return self }
        return RevocationRecord(
            name: name,
            revokedAt: max(revokedAt, other.revokedAt),
            expiry: max(expiry, other.expiry)
        )
    }
}
