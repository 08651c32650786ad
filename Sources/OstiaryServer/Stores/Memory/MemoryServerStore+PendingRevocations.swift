import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension MemoryServerStore {
    /// Stores a revocation until the process ends.
    public func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure) {
        pending.save(revocation)
    }

    /// Returns revocations that are due, and postpones them.
    public func claimPendingRevocations(
        of client: StoreDigest,
        limit: Int,
        until end: Date,
        now: Date
    ) async throws(StorageFailure) -> [PendingRevocation] {
        pending.claim(of: client, limit: limit, until: end, now: now)
    }

    /// Removes a revocation.
    public func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure) { pending.remove(name) }
}

/// The pending revocations of a store in memory.
final class MemoryPendingRevocations: Sendable {
    private let records = Lock<[StoreDigest: PendingRevocation]>([:])

    func save(_ revocation: PendingRevocation) { records.withLock { $0[revocation.name] = revocation } }

    func remove(_ name: StoreDigest) { records.withLock { $0[name] = nil } }

    func claim(of client: StoreDigest, limit: Int, until end: Date, now: Date) -> [PendingRevocation] {
        records.withLock { records in
            let due = records.values.filter { $0.client == client && $0.due <= now && $0.expiry > now }
                .sorted { $0.due < $1.due }.prefix(max(0, limit))
            return due.map { revocation in
                var claimed = revocation
                claimed.due = end
                records[claimed.name] = claimed
                return claimed
            }
        }
    }

    /// Removes some of the expired revocations, and returns their number.
    func removeExpired(limit: Int, now: Date) -> Int {
        records.withLock { records in
            let expired = records.values.filter { $0.expiry <= now }.sorted { $0.expiry < $1.expiry }
                .prefix(max(0, limit))
            for revocation in expired { records[revocation.name] = nil }
            return expired.count
        }
    }
}
