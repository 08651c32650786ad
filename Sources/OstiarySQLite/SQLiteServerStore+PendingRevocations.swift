#if SQLite
    import GRDB
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Revocations that an issuer has not confirmed.
    extension SQLiteServerStore {
        /// Stores a revocation in place of an older one of the same name.
        public func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure) {
            try await write("save a pending revocation") { database in try database.save(revocation) }
        }

        /// Returns revocations that are due, and postpones them.
        public func claimPendingRevocations(
            of client: StoreDigest,
            limit: Int,
            until end: Date,
            now: Date
        ) async throws(StorageFailure) -> [PendingRevocation] {
            // SQLite takes a negative limit for none.
            guard limit > 0 else { return [] }
            return try await write("claim pending revocations") { database in
                let rows = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT name, sealed, created, expires FROM pending_revocation
                        WHERE client = ? AND due <= ? AND expires > ? ORDER BY due LIMIT ?
                        """,
                    arguments: [client.data, now.microseconds, now.microseconds, limit]
                )
                return try rows.map { row in
                    let name: Data = row["name"]
                    let sealed: Data = row["sealed"]
                    guard let digest = StoreDigest(bytes: Array(name)) else { throw StorageFailure.corrupted }
                    try database.execute(
                        sql: "UPDATE pending_revocation SET due = ? WHERE name = ?",
                        arguments: [end.microseconds, name]
                    )
                    return PendingRevocation(
                        name: digest,
                        client: client,
                        sealed: Array(sealed),
                        created: Date(microseconds: row["created"]),
                        due: end,
                        expiry: Date(microseconds: row["expires"])
                    )
                }
            }
        }

        /// Removes a revocation.
        public func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure) {
            try await write("remove a pending revocation") { database in
                try database.execute(sql: "DELETE FROM pending_revocation WHERE name = ?", arguments: [name.data])
            }
        }
    }

    extension Database {
        func save(_ revocation: PendingRevocation) throws {
            try execute(
                sql: """
                    INSERT OR REPLACE INTO pending_revocation (name, client, sealed, created, due, expires)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    revocation.name.data, revocation.client.data, Data(revocation.sealed),
                    revocation.created.microseconds, revocation.due.microseconds, revocation.expiry.microseconds,
                ]
            )
        }
    }
#endif
