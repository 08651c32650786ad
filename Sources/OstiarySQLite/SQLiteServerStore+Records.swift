#if SQLite
    import GRDB
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Verifications, rate limits, and the removal of expired rows.
    extension SQLiteServerStore {
        /// Saves a record, replacing an older one of the same subject; a newer one stays.
        public func save(_ record: ServerVerificationRecord) async throws(StorageFailure) {
            try await write("keep a verification") { database in
                try database.execute(
                    sql: """
                        INSERT INTO verification AS old (subject, verified, cohort, campus, verified_at)
                        VALUES (?, ?, ?, ?, ?)
                        ON CONFLICT (subject) DO UPDATE SET verified = excluded.verified, cohort = excluded.cohort,
                            campus = excluded.campus, verified_at = excluded.verified_at
                        WHERE old.verified_at <= excluded.verified_at
                        """,
                    arguments: [
                        Data(record.subject.utf8), record.verified, record.cohort.map { Data($0.utf8) },
                        record.campus.map { Data($0.utf8) }, record.verifiedAt.microseconds,
                    ]
                )
            }
        }

        /// Returns the record of a subject.
        public func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord? {
            try await read("read a verification") { database in
                let found = try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM verification WHERE subject = ?",
                    arguments: [Data(subject.utf8)]
                )
                return found.map { row in
                    ServerVerificationRecord(
                        verified: row["verified"],
                        subject: subject,
                        cohort: (row["cohort"] as Data?).map { String(decoding: $0, as: UTF8.self) },
                        campus: (row["campus"] as Data?).map { String(decoding: $0, as: UTF8.self) },
                        verifiedAt: Date(microseconds: row["verified_at"])
                    )
                }
            }
        }

        /// Removes the record of a subject.
        public func removeVerification(of subject: String) async throws(StorageFailure) {
            try await write("remove a verification") { database in
                try database.execute(
                    sql: "DELETE FROM verification WHERE subject = ?",
                    arguments: [Data(subject.utf8)]
                )
            }
        }

        /// Counts a request, unless it exceeds the limit.
        public func take(
            _ limit: RateLimit,
            for name: StoreDigest,
            now: Date
        ) async throws(StorageFailure) -> RateLimitAnswer {
            try await write("count a request") { database in
                let kept = try Int.fetchOne(
                    database,
                    sql: "SELECT expires FROM rate_limit WHERE name = ?",
                    arguments: [name.data]
                )
                let (answer, full) = limit.answer(full: kept.map { Date(microseconds: $0) }, now: now)
                if let full {
                    try database.execute(
                        sql: "INSERT OR REPLACE INTO rate_limit (name, expires) VALUES (?, ?)",
                        arguments: [name.data, full.microseconds]
                    )
                }
                return answer
            }
        }

        /// Removes some of the expired rows, and returns their number.
        public func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int {
            try await write("clean up") { database in
                var removed = 0
                for statement in Self.cleaning where removed < limit {
                    try database.execute(sql: statement, arguments: [now.microseconds, limit - removed])
                    removed += database.changesCount
                }
                return removed
            }
        }

        private static let cleaning = [
            ("replay", "identifier"), ("redemption", "code"), ("value", "name"), ("session", "id"),
            ("rate_limit", "name"), ("revocation", "name"), ("pending_revocation", "name"),
        ].map { table, key in
            """
            DELETE FROM \(table) WHERE \(key) IN (
                SELECT \(key) FROM \(table) WHERE expires <= ? ORDER BY expires LIMIT ?)
            """
        }
    }
#endif
