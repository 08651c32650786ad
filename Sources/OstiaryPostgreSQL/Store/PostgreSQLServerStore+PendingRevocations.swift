#if PostgreSQL
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Revocations that an issuer has not confirmed.
    extension PostgreSQLServerStore {
        /// Stores a revocation in place of an older one of the same name.
        public func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in try await connection.save(revocation) }
        }

        /// Returns revocations that are due, and postpones them.
        public func claimPendingRevocations(
            of client: StoreDigest,
            limit: Int,
            until end: Date,
            now: Date
        ) async throws(StorageFailure) -> [PendingRevocation] {
            guard limit > 0 else { return [] }
            return try await run { connection async throws(PostgreSQLFailure) in
                let result = try await connection.execute(
                    .claimPendingRevocations,
                    [.bytes(client.bytes), .time(now), .time(end), .integer(limit)]
                )
                var claimed: [PendingRevocation] = []
                for row in result {
                    guard let name = StoreDigest(bytes: try row.bytes(0)) else {
                        throw .unexpectedAnswer(to: row.statement)
                    }
                    claimed.append(
                        PendingRevocation(
                            name: name,
                            client: client,
                            sealed: try row.bytes(1),
                            created: try row.time(2),
                            due: try row.time(3),
                            expiry: try row.time(4)
                        )
                    )
                }
                return claimed
            }
        }

        /// Removes a revocation.
        public func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(.removePendingRevocation, [.bytes(name.bytes)])
            }
        }
    }

    extension PostgreSQLConnection {
        func save(_ revocation: PendingRevocation) async throws(PostgreSQLFailure) {
            try await execute(
                .savePendingRevocation,
                [
                    .bytes(revocation.name.bytes), .bytes(revocation.client.bytes), .bytes(revocation.sealed),
                    .time(revocation.created), .time(revocation.due), .time(revocation.expiry),
                ]
            )
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let savePendingRevocation = PostgreSQLStatement(
            "save a pending revocation",
            """
            INSERT INTO ostiary_pending_revocation (name, client, sealed, created, due, expires)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (name) DO UPDATE SET client = excluded.client, sealed = excluded.sealed,
                created = excluded.created, due = excluded.due, expires = excluded.expires
            """
        )
        /// A row that another instance is claiming is skipped, not waited for.
        fileprivate static let claimPendingRevocations = PostgreSQLStatement(
            "claim pending revocations",
            """
            UPDATE ostiary_pending_revocation SET due = $3 WHERE name IN (
                SELECT name FROM ostiary_pending_revocation WHERE client = $1 AND due <= $2 AND expires > $2
                ORDER BY due LIMIT $4 FOR UPDATE SKIP LOCKED)
            RETURNING name, sealed, created, due, expires
            """
        )
        fileprivate static let removePendingRevocation = PostgreSQLStatement(
            "remove a pending revocation",
            "DELETE FROM ostiary_pending_revocation WHERE name = $1"
        )
    }
#endif
