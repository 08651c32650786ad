#if PostgreSQL
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Leases of refresh tokens, in the row of their session.
    extension PostgreSQLServerStore {
        /// Takes the lease of a session.
        public func lease(
            _ session: StoreDigest,
            version: Int,
            owner: String,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> RefreshLeaseAnswer {
            let lease = RefreshLease(session: session, version: version, owner: owner, expiry: expiry)
            let values: [PostgreSQLValue] = [
                .bytes(session.bytes), .integer(version), .utf8(owner), .time(expiry), .time(now),
            ]
            return try await run { connection async throws(PostgreSQLFailure) in
                while true {
                    if try await connection.execute(.takeLease, values).count == 1 { return .granted(lease) }
                    let found = try await connection.execute(
                        .readLease,
                        [.bytes(session.bytes), .integer(version), .time(now)]
                    )
                    guard let row = found.first else { return .superseded }
                    let end = try row.time(0)
                    if end > now { return .held(until: end) }
                    if try row.bool(1) { return .lost }
                    // It was released in the meantime, so it can be taken.
                }
            }
        }

        /// Records that the refresh token of a lease is about to be presented.
        public func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                let values: [PostgreSQLValue] = [
                    .bytes(lease.session.bytes), .integer(lease.version), .utf8(lease.owner), .time(now),
                ]
                return try await connection.execute(.markShown, values).count == 1
            }
        }

        /// Releases a lease whose refresh token was certainly not used, or may be presented again.
        public func release(_ lease: RefreshLease) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(
                    .giveLeaseBack,
                    [.bytes(lease.session.bytes), .integer(lease.version), .utf8(lease.owner)]
                )
            }
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let takeLease = PostgreSQLStatement(
            "take a lease",
            """
            UPDATE ostiary_session SET lease_owner = $3, lease_expires = $4, lease_shown = false
            WHERE id = $1 AND version = $2 AND expires > $5 AND lease_expires <= $5 AND NOT lease_shown
            RETURNING 1
            """
        )
        fileprivate static let readLease = PostgreSQLStatement(
            "read a lease",
            """
            SELECT lease_expires, lease_shown FROM ostiary_session
            WHERE id = $1 AND version = $2 AND expires > $3
            """
        )
        fileprivate static let markShown = PostgreSQLStatement(
            "mark a refresh token as shown",
            """
            UPDATE ostiary_session SET lease_shown = true
            WHERE id = $1 AND version = $2 AND lease_owner = $3 AND lease_expires > $4 AND NOT lease_shown
            RETURNING 1
            """
        )
        fileprivate static let giveLeaseBack = PostgreSQLStatement(
            "give a lease back",
            """
            UPDATE ostiary_session SET lease_owner = NULL, lease_expires = 0, lease_shown = false
            WHERE id = $1 AND version = $2 AND lease_owner = $3
            """
        )
    }
#endif
