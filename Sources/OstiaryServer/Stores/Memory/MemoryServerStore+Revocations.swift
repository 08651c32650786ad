import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension MemoryServerStore {
    /// Keeps a revocation as long as the process runs.
    public func revoke(_ record: RevocationRecord) async throws(StorageFailure) { revoked.insert(record) }

    /// Revocations that have not expired, in the order of their times.
    public func revocations(
        since start: Date,
        after last: StoreDigest?,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [RevocationRecord] {
        revoked.records(since: start, after: last, limit: limit, now: now)
    }
}

/// The revocations of a store in memory.
final class MemoryRevocations: Sendable {
    private let records = Lock<[StoreDigest: RevocationRecord]>([:])

    func insert(_ record: RevocationRecord) {
        records.withLock { $0[record.name] = record.merged(with: $0[record.name]) }
    }

    func records(since start: Date, after last: StoreDigest?, limit: Int, now: Date) -> [RevocationRecord] {
        let found = records.withLock { records in
            records.values.filter { record in
                guard record.expiry > now, record.revokedAt >= start else { return false }
                return record.revokedAt > start || last.map { Self.precedes($0, record.name) } ?? true
            }
        }
        let ordered = found.sorted {
            $0.revokedAt == $1.revokedAt ? Self.precedes($0.name, $1.name) : $0.revokedAt < $1.revokedAt
        }
        return Array(ordered.prefix(max(0, limit)))
    }

    /// Removes some expired entries, and returns their number.
    func removeExpired(limit: Int, now: Date) -> Int {
        records.withLock { records in
            let expired = records.values.filter { $0.expiry <= now }.sorted { $0.expiry < $1.expiry }
                .prefix(max(0, limit))
            for record in expired { records[record.name] = nil }
            return expired.count
        }
    }

    private static func precedes(_ first: StoreDigest, _ second: StoreDigest) -> Bool {
        first.bytes.lexicographicallyPrecedes(second.bytes)
    }
}
