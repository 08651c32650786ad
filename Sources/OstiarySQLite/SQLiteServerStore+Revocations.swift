#if SQLite
    import GRDB
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Revocations.
    extension SQLiteServerStore {
        /// Stores a revocation; two of the same name become one, with the later revocation time and the later expiry.
        public func revoke(_ record: RevocationRecord) async throws(StorageFailure) {
            try await write("keep a revocation") { database in
                try database.execute(
                    sql: """
                        INSERT INTO revocation AS old (name, revoked, expires) VALUES (?, ?, ?)
                        ON CONFLICT (name) DO UPDATE SET revoked = max(old.revoked, excluded.revoked),
                            expires = max(old.expires, excluded.expires)
                        """,
                    arguments: [record.name.data, record.revokedAt.microseconds, record.expiry.microseconds]
                )
            }
        }

        /// Returns revocations that have not expired, in the order of their times.
        public func revocations(
            since start: Date,
            after last: StoreDigest?,
            limit: Int,
            now: Date
        ) async throws(StorageFailure) -> [RevocationRecord] {
            // SQLite takes a negative limit for none.
            guard limit > 0 else { return [] }
            return try await read("read revocations") { database in
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT name, revoked, expires FROM revocation
                        WHERE (revoked, name) > (?, ?) AND expires > ? ORDER BY revoked, name LIMIT ?
                        """,
                    // No name sorts before the empty one.
                    arguments: [start.microseconds, last?.data ?? Data(), now.microseconds, limit]
                )
                return try rows.map { row in
                    let name: Data = row["name"]
                    guard let digest = StoreDigest(bytes: Array(name)) else { throw StorageFailure.corrupted }
                    return RevocationRecord(
                        name: digest,
                        revokedAt: Date(microseconds: row["revoked"]),
                        expiry: Date(microseconds: row["expires"])
                    )
                }
            }
        }
    }
#endif
