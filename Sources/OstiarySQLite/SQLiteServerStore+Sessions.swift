#if SQLite
    import GRDB
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Sessions of users.
    extension SQLiteServerStore {
        /// Stores a new session.
        public func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool {
            try await write("keep a session") { database in
                try database.execute(
                    sql: """
                        INSERT INTO session (
                            id, issuer, subject, session, key_thumbprint, created, absolute_expires, idle_expires,
                            expires, sealed, version
                        ) VALUES (
                            :id, :issuer, :subject, :session, :key_thumbprint, :created, :absolute_expires,
                            :idle_expires, :expires, :sealed, :version
                        ) ON CONFLICT (id) DO NOTHING
                        """,
                    arguments: session.arguments
                )
                return database.changesCount == 1
            }
        }

        /// Returns a session that has not expired.
        public func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord? {
            try await read("read a session") { database in
                try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM session WHERE id = ? AND expires > ?",
                    arguments: [id.data, now.microseconds]
                ).map { try ServerSessionRecord($0) }
            }
        }

        /// The sessions of a subject that have not expired, the newest first.
        public func sessions(
            issuer: String,
            subject: String,
            limit: Int,
            now: Date
        ) async throws(StorageFailure) -> [ServerSessionRecord] {
            // SQLite takes a negative limit for none.
            guard limit > 0 else { return [] }
            return try await read("list a subject's sessions") { database in
                try Row.fetchAll(
                    database,
                    sql: """
                        SELECT * FROM session WHERE issuer = ? AND subject = ? AND expires > ?
                        ORDER BY created DESC LIMIT ?
                        """,
                    arguments: [Data(issuer.utf8), Data(subject.utf8), now.microseconds, limit]
                ).map { try ServerSessionRecord($0) }
            }
        }

        /// Replaces the session that was read, and ends the lease of its refresh token.
        public func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool {
            try await write("replace a session") { database in
                try database.execute(
                    sql: """
                        UPDATE session SET issuer = :issuer, subject = :subject, session = :session,
                            key_thumbprint = :key_thumbprint, created = :created, absolute_expires = :absolute_expires,
                            idle_expires = :idle_expires, expires = :expires, sealed = :sealed, version = :version,
                            lease_owner = NULL, lease_expires = 0, lease_shown = 0
                        WHERE id = :id AND version = :version - 1 AND expires > :now
                        """,
                    arguments: session.arguments &+ ["now": now.microseconds]
                )
                return database.changesCount == 1
            }
        }

        /// Extends the idle expiry of a session.
        public func extendIdle(
            _ id: StoreDigest,
            until idleExpiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await write("put the end of a session off") { database in
                try database.execute(
                    sql: """
                        UPDATE session SET idle_expires = max(idle_expires, :idle),
                            expires = min(absolute_expires, max(idle_expires, :idle))
                        WHERE id = :id AND expires > :now
                        """,
                    arguments: ["id": id.data, "idle": idleExpiry.microseconds, "now": now.microseconds]
                )
                return database.changesCount == 1
            }
        }

        /// Removes a session that still has the given version.
        public func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool {
            try await write("remove a session of a version") { database in
                try database.execute(
                    sql: "DELETE FROM session WHERE id = ? AND version = ?",
                    arguments: [id.data, version]
                )
                return database.changesCount == 1
            }
        }

        /// Removes a session, if there is one.
        public func remove(_ id: StoreDigest) async throws(StorageFailure) {
            try await write("remove a session") { database in
                try database.execute(sql: "DELETE FROM session WHERE id = ?", arguments: [id.data])
            }
        }

        /// Removes the sessions that a logout token refers to, and stores the revocations of their refresh tokens, in
        /// one transaction.
        public func removeSessions(
            issuer: String,
            subject: String?,
            sessionID: String?,
            revoking revocation: @escaping @Sendable (ServerSessionRecord) -> PendingRevocation?
        ) async throws(StorageFailure) -> [ServerSessionRecord] {
            guard subject != nil || sessionID != nil else { return [] }
            let named = NamedSessions(issuer: issuer, subject: subject, sessionID: sessionID)
            return try await write("end sessions") { database in
                let removal = try database.cachedStatement(sql: named.removal)
                let rows = try Row.fetchAll(removal, arguments: StatementArguments(named.values))
                let removed = try rows.map { try ServerSessionRecord($0) }
                for record in removed { if let stored = revocation(record) { try database.save(stored) } }
                return removed
            }
        }
    }

    /// The sessions that a logout token names.
    struct NamedSessions: Sendable {
        /// The statement that finds them by an index, removes them and returns them.
        let removal: String
        let values: [Data]

        init(issuer: String, subject: String?, sessionID: String?) {
            // Only what the token names is compared: a condition that allows NULL would hide its index from the planner.
            let conditions = ["issuer = ?", subject.map { _ in "subject = ?" }, sessionID.map { _ in "session = ?" }]
            let condition = conditions.compactMap(\.self).joined(separator: " AND ")
            removal = "DELETE FROM session WHERE \(condition) RETURNING *"
            values = [issuer, subject, sessionID].compactMap { $0.map { Data($0.utf8) } }
        }
    }

    extension ServerSessionRecord {
        fileprivate var arguments: StatementArguments {
            [
                "id": id.data, "issuer": Data(issuer.utf8), "subject": Data(subject.utf8),
                "session": sessionID.map { Data($0.utf8) }, "key_thumbprint": keyThumbprint.map { Data($0.utf8) },
                "created": created.microseconds, "absolute_expires": absoluteExpiry.microseconds,
                "idle_expires": idleExpiry.microseconds,
                "expires": min(absoluteExpiry, idleExpiry).microseconds, "sealed": Data(sealed), "version": version,
            ]
        }

        fileprivate init(_ row: Row) throws {
            guard let id = StoreDigest(bytes: Array(row["id"] as Data)) else { throw StorageFailure.corrupted }
            func text(_ name: String) -> String? {
                (row[name] as Data?).map { String(decoding: $0, as: UTF8.self) }
            }
            self.init(
                id: id,
                issuer: text("issuer") ?? "",
                subject: text("subject") ?? "",
                sessionID: text("session"),
                keyThumbprint: text("key_thumbprint"),
                created: Date(microseconds: row["created"]),
                absoluteExpiry: Date(microseconds: row["absolute_expires"]),
                idleExpiry: Date(microseconds: row["idle_expires"]),
                sealed: Array(row["sealed"] as Data),
                version: row["version"]
            )
            // As it was stored, even if the session expires earlier for another reason.
            idleExpiry = Date(microseconds: row["idle_expires"])
        }
    }
#endif
