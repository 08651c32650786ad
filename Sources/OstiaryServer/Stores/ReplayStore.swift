public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Remembers what may be shown once: the identifiers of proofs and of logout tokens. (RFC 9449 section 11.1)
public protocol ReplayStore: Sendable {
    /// Remembers an identifier, unless it is remembered already; both in one step.
    ///
    /// - Parameters:
    ///   - identifier: What may be shown once.
    ///   - owner: Whose it is. The room of one owner is limited, so that nobody can push out what another has shown.
    ///   - expiry: Until when it is remembered.
    ///   - now: The time.
    func insert(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> ReplayAnswer

    /// Whether an identifier is remembered at `now`.
    func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool
}

/// What a ``ReplayStore`` says of an identifier.
public enum ReplayAnswer: Sendable, Hashable {
    /// It is new, and remembered now.
    case inserted
    /// It was shown before.
    case replayed
    /// Its owner has shown too many for now; nothing is remembered.
    case full
}
