#if SQLite
    import GRDB
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Leases of refresh tokens, in the row of their session.
    extension SQLiteServerStore {
        /// Takes the lease of a session.
        public func lease(
            _ session: StoreDigest,
            version: Int,
            owner: String,
            until expiry: Date,
            now: Date
        ) async throws(StorageFailure) -> RefreshLeaseAnswer {
            try await write("take a lease") { database in
                let found = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT lease_expires, lease_shown FROM session WHERE id = ? AND version = ? AND expires > ?
                        """,
                    arguments: [session.data, version, now.microseconds]
                )
                guard let found else { return .superseded }
                guard found["lease_expires"] <= now.microseconds else {
                    return .held(until: Date(microseconds: found["lease_expires"]))
                }
                guard found["lease_shown"] == 0 else { return .lost }
                try database.execute(
                    sql: "UPDATE session SET lease_owner = ?, lease_expires = ?, lease_shown = 0 WHERE id = ?",
                    arguments: [Data(owner.utf8), expiry.microseconds, session.data]
                )
                return .granted(RefreshLease(session: session, version: version, owner: owner, expiry: expiry))
            }
        }

        /// Records that the refresh token of a lease is about to be presented.
        public func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool {
            try await write("mark a refresh token as shown") { database in
                try database.execute(
                    sql: """
                        UPDATE session SET lease_shown = 1
                        WHERE id = ? AND version = ? AND lease_owner = ? AND lease_expires > ? AND lease_shown = 0
                        """,
                    arguments: [lease.session.data, lease.version, Data(lease.owner.utf8), now.microseconds]
                )
                return database.changesCount == 1
            }
        }

        /// Releases a lease whose refresh token was certainly not used, or may be presented again.
        public func release(_ lease: RefreshLease) async throws(StorageFailure) {
            try await write("give a lease back") { database in
                try database.execute(
                    sql: """
                        UPDATE session SET lease_owner = NULL, lease_expires = 0, lease_shown = 0
                        WHERE id = ? AND version = ? AND lease_owner = ?
                        """,
                    arguments: [lease.session.data, lease.version, Data(lease.owner.utf8)]
                )
            }
        }
    }
#endif
