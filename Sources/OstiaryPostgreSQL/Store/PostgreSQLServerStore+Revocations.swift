#if PostgreSQL
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Revocations.
    extension PostgreSQLServerStore {
        /// Stores a revocation; two of the same name become one, with the later revocation time and the later expiry.
        public func revoke(_ record: RevocationRecord) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(
                    .revoke,
                    [.bytes(record.name.bytes), .time(record.revokedAt), .time(record.expiry)]
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
            guard limit > 0 else { return [] }
            return try await run { connection async throws(PostgreSQLFailure) in
                let result = try await connection.execute(
                    .readRevocations,
                    // No name sorts before the empty one.
                    [.time(start), .bytes(last?.bytes ?? []), .time(now), .integer(limit)]
                )
                var records: [RevocationRecord] = []
                for row in result {
                    guard let name = StoreDigest(bytes: try row.bytes(0)) else {
                        throw .unexpectedAnswer(to: row.statement)
                    }
                    records.append(
                        RevocationRecord(name: name, revokedAt: try row.time(1), expiry: try row.time(2))
                    )
                }
                return records
            }
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let revoke = PostgreSQLStatement(
            "keep a revocation",
            """
            INSERT INTO ostiary_revocation AS old (name, revoked, expires) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET revoked = greatest(old.revoked, excluded.revoked),
                expires = greatest(old.expires, excluded.expires)
            """
        )
        fileprivate static let readRevocations = PostgreSQLStatement(
            "read revocations",
            """
            SELECT name, revoked, expires FROM ostiary_revocation
            WHERE (revoked, name) > ($1::bigint, $2::bytea) AND expires > $3 ORDER BY revoked, name LIMIT $4
            """
        )
    }
#endif
