public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Detects replayed `jti` values of DPoP proofs and logout tokens. (RFC 9449 section 11.1)
public protocol ReplayStore: Sendable {
    /// Remembers an identifier, unless it is already remembered, in one atomic step.
    ///
    /// - Parameters:
    ///   - identifier: The digest of the `jti` and its owner.
    ///   - owner: The owner of the identifier. The room of one owner is limited, so that no client can evict another's
    ///     identifiers.
    ///   - expiry: The time until which it is remembered.
    ///   - now: The time.
    /// - Returns: Whether the identifier is new.
    /// - Throws: The store's failure, after which the identifier may have been remembered all the same.
    func insert(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> ReplayAnswer

    /// Whether an identifier is remembered at `now`.
    func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool
}

/// The answer of a ``ReplayStore`` about an identifier.
public enum ReplayAnswer: Sendable, Hashable {
    /// The identifier is new, and remembered now.
    case inserted
    /// The identifier was used before.
    case replayed
    /// The owner has used too many recently; nothing is remembered.
    case full
}
