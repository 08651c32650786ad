#if PostgreSQL
    import OstiaryCompatibility
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Verifications, rate limits, and the removal of expired rows.
    extension PostgreSQLServerStore {
        /// Saves a record, replacing an older one of the same subject; a newer one stays.
        public func save(_ record: ServerVerificationRecord) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(
                    .saveVerification,
                    [
                        Self.name(of: record.subject), .utf8(record.subject), .bool(record.verified),
                        .utf8(record.cohort), .utf8(record.campus), .time(record.verifiedAt),
                    ]
                )
            }
        }

        /// Returns the record of a subject.
        public func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord? {
            try await run { connection async throws(PostgreSQLFailure) in
                guard let row = try await connection.execute(.readVerification, [Self.name(of: subject)]).first else {
                    return nil
                }
                return ServerVerificationRecord(
                    verified: try row.bool(0),
                    subject: try row.utf8(1),
                    cohort: row.isNull(2) ? nil : try row.utf8(2),
                    campus: row.isNull(3) ? nil : try row.utf8(3),
                    verifiedAt: try row.time(4)
                )
            }
        }

        /// Removes the record of a subject.
        public func removeVerification(of subject: String) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(.removeVerification, [Self.name(of: subject)])
            }
        }

        /// Counts a request, unless it exceeds the limit.
        public func take(
            _ limit: RateLimit,
            for name: StoreDigest,
            now: Date
        ) async throws(StorageFailure) -> RateLimitAnswer {
            let interval = max(1, Int((limit.interval.inSeconds * 1_000_000).rounded()))
            let period = Int((limit.period.inSeconds * 1_000_000).rounded())
            return try await run { connection async throws(PostgreSQLFailure) in
                while true {
                    let values: [PostgreSQLValue] = [
                        .bytes(name.bytes), .time(now), .integer(interval), .integer(max(period, interval)),
                    ]
                    if try await connection.execute(.countRequest, values).count == 1 { return .allowed }
                    guard let row = try await connection.execute(.readLimit, [.bytes(name.bytes)]).first else {
                        continue
                    }
                    let (answer, _) = limit.answer(full: try row.time(0), now: now)
                    // Rounding to a microsecond may allow here what the database did not allow.
                    return answer == .allowed ? .limited(retryAfter: .microseconds(1)) : answer
                }
            }
        }

        /// Removes some of the expired rows, and returns their number.
        ///
        /// Rows that another instance removes at the same time are skipped.
        public func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int {
            var removed = 0
            for statement in PostgreSQLStatement.cleaning where removed < limit {
                let left = limit - removed
                removed += try await run { connection async throws(PostgreSQLFailure) in
                    try await connection.execute(statement, [.time(now), .integer(left)]).first?.integer(0) ?? 0
                }
            }
            return removed
        }

        private static func name(of subject: String) -> PostgreSQLValue {
            .bytes(StoreDigest("verification", [subject]).bytes)
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let saveVerification = PostgreSQLStatement(
            "keep a verification",
            """
            INSERT INTO ostiary_verification AS old (name, subject, verified, cohort, campus, verified_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (name) DO UPDATE SET verified = excluded.verified, cohort = excluded.cohort,
                campus = excluded.campus, verified_at = excluded.verified_at
            WHERE old.verified_at <= excluded.verified_at
            """
        )
        fileprivate static let readVerification = PostgreSQLStatement(
            "read a verification",
            "SELECT verified, subject, cohort, campus, verified_at FROM ostiary_verification WHERE name = $1"
        )
        fileprivate static let removeVerification = PostgreSQLStatement(
            "remove a verification",
            "DELETE FROM ostiary_verification WHERE name = $1"
        )
        /// Computes `RateLimit.answer(full:now:)`, in one step with the change.
        ///
        /// The commit does not wait for the disk: a crash of the database may forget the requests of its last second.
        fileprivate static let countRequest = PostgreSQLStatement(
            "count a request",
            """
            INSERT INTO ostiary_limit AS old (name, expires)
            SELECT $1::bytea, $2::bigint + $3::bigint FROM set_config('synchronous_commit', 'off', true)
            ON CONFLICT (name) DO UPDATE SET expires = greatest(old.expires, $2::bigint) + $3::bigint
            WHERE greatest(old.expires, $2::bigint) + $3::bigint - $2::bigint <= $4::bigint
            RETURNING 1
            """
        )
        fileprivate static let readLimit = PostgreSQLStatement(
            "read a limit",
            "SELECT expires FROM ostiary_limit WHERE name = $1"
        )

        /// The rows are chosen and locked first: a row that another instance has locked is skipped, not waited for.
        fileprivate static let cleaning = [
            PostgreSQLStatement(
                "clean identifiers away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_replay WHERE identifier IN (
                        SELECT identifier FROM ostiary_replay WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
            PostgreSQLStatement(
                "clean redemptions away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_redemption WHERE code IN (
                        SELECT code FROM ostiary_redemption WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
            PostgreSQLStatement(
                "clean values away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_value WHERE name IN (
                        SELECT name FROM ostiary_value WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
            PostgreSQLStatement(
                "clean sessions away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_session WHERE id IN (
                        SELECT id FROM ostiary_session WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
            PostgreSQLStatement(
                "clean limits away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_limit WHERE name IN (
                        SELECT name FROM ostiary_limit WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
            PostgreSQLStatement(
                "clean revocations away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_revocation WHERE name IN (
                        SELECT name FROM ostiary_revocation WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
            PostgreSQLStatement(
                "clean pending revocations away",
                """
                WITH removed AS (
                    DELETE FROM ostiary_pending_revocation WHERE name IN (
                        SELECT name FROM ostiary_pending_revocation WHERE expires <= $1 ORDER BY expires LIMIT $2
                        FOR UPDATE SKIP LOCKED)
                    RETURNING 1)
                SELECT count(*) FROM removed
                """
            ),
        ]
    }
#endif
