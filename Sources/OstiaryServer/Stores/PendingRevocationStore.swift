public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores the refresh tokens of ended sessions until the issuer has confirmed their revocation, so that a restart of
/// the service does not lose them. (RFC 7009)
public protocol PendingRevocationStore: Sendable {
    /// Stores a revocation in place of an older one of the same name, if there is one.
    func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure)

    /// Returns revocations of a client that are due, and postpones them in the same step, so that no other instance
    /// attempts them at the same time.
    ///
    /// - Parameters:
    ///   - client: The client whose refresh tokens they are, as in ``PendingRevocation/client``.
    ///   - limit: The most revocations to return, in any order; none for a limit below 1.
    ///   - end: The time at which the returned ones are due again.
    ///   - now: The current time. Revocations that have expired by then are not returned.
    /// - Returns: The due revocations.
    /// - Throws: The store's failure, after which some of them may have been postponed all the same.
    func claimPendingRevocations(
        of client: StoreDigest,
        limit: Int,
        until end: Date,
        now: Date
    ) async throws(StorageFailure) -> [PendingRevocation]

    /// Removes a revocation, if there is one.
    func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure)
}

/// The revocation of a refresh token that the issuer has not confirmed.
public struct PendingRevocation: Sendable, Hashable {
    /// A digest of the refresh token.
    public let name: StoreDigest
    /// A digest of the issuer and the client.
    public let client: StoreDigest
    /// The refresh token, sealed by the caller.
    public let sealed: [UInt8]
    /// The time at which the session ended.
    public let created: Date
    /// The time of the next attempt.
    public var due: Date
    /// The time from which the revocation is absent, whether or not it was removed yet.
    public let expiry: Date

    /// Describes a revocation.
    public init(
        name: StoreDigest,
        client: StoreDigest,
        sealed: [UInt8],
        created: Date,
        due: Date,
        expiry: Date
    ) {
        self.name = name
        self.client = client
        self.sealed = sealed
        self.created = created
        self.due = due
        self.expiry = expiry
    }
}

extension PendingRevocation: CustomStringConvertible, CustomReflectable {
    /// A part of the name.
    public var description: String { "PendingRevocation(\(name))" }
    /// The name.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
