#if PostgreSQL
    public import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    // Sessions of users. Their names are digests of fixed length, since an index could not hold a subject of any
    // length.
    extension PostgreSQLServerStore {
        /// Stores a new session.
        public func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                try await connection.execute(.insertSession, session.values).count == 1
            }
        }

        /// Returns a session that has not expired.
        public func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord? {
            try await run { connection async throws(PostgreSQLFailure) in
                guard let row = try await connection.execute(.readSession, [.bytes(id.bytes), .time(now)]).first else {
                    return nil
                }
                return try ServerSessionRecord(row)
            }
        }

        /// The sessions of a subject that have not expired, the newest first.
        public func sessions(
            issuer: String,
            subject: String,
            limit: Int,
            now: Date
        ) async throws(StorageFailure) -> [ServerSessionRecord] {
            guard limit > 0 else { return [] }
            let subject = ServerSessionRecord.name(ofSubject: subject, at: issuer)
            return try await run { connection async throws(PostgreSQLFailure) in
                var found: [ServerSessionRecord] = []
                let rows = try await connection.execute(.listSubject, [subject, .time(now), .integer(limit)])
                for row in rows { found.append(try ServerSessionRecord(row)) }
                return found
            }
        }

        /// Replaces the session that was read, and ends the lease of its refresh token.
        public func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                try await connection.execute(.replaceSession, session.values + [.time(now)]).count == 1
            }
        }

        /// Extends the idle expiry of a session.
        public func extendIdle(
            _ id: StoreDigest,
            until idleExpiry: Date,
            now: Date
        ) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                let values: [PostgreSQLValue] = [.bytes(id.bytes), .time(idleExpiry), .time(now)]
                return try await connection.execute(.putSessionOff, values).count == 1
            }
        }

        /// Removes a session that still has the given version.
        public func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool {
            try await run { connection async throws(PostgreSQLFailure) in
                try await connection.execute(.removeSessionVersion, [.bytes(id.bytes), .integer(version)]).count == 1
            }
        }

        /// Removes a session, if there is one.
        public func remove(_ id: StoreDigest) async throws(StorageFailure) {
            try await run { connection async throws(PostgreSQLFailure) in
                _ = try await connection.execute(.removeSession, [.bytes(id.bytes)])
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
            let subject = subject.map { ServerSessionRecord.name(ofSubject: $0, at: issuer) }
            let session = sessionID.map { ServerSessionRecord.name(ofSession: $0, at: issuer) }
            let end: (PostgreSQLStatement, [PostgreSQLValue])
            switch (subject, session) {
            case (let subject?, let session?): end = (.endOneSession, [subject, session])
            case (let subject?, nil): end = (.endSubject, [subject])
            case (nil, let session?): end = (.endSession, [session])
            case (nil, nil): return []
            }
            return try await run { connection async throws(PostgreSQLFailure) in
                try await connection.transaction { () async throws(PostgreSQLFailure) in
                    var removed: [ServerSessionRecord] = []
                    let rows = try await connection.execute(end.0, end.1)
                    for row in rows { removed.append(try ServerSessionRecord(row)) }
                    for record in removed { if let stored = revocation(record) { try await connection.save(stored) } }
                    return removed
                }
            }
        }
    }

    extension ServerSessionRecord {
        static func name(ofSubject subject: String, at issuer: String) -> PostgreSQLValue {
            .bytes(StoreDigest("subject", [issuer, subject]).bytes)
        }

        static func name(ofSession session: String, at issuer: String) -> PostgreSQLValue {
            .bytes(StoreDigest("sid", [issuer, session]).bytes)
        }

        fileprivate var values: [PostgreSQLValue] {
            [
                .bytes(id.bytes), Self.name(ofSubject: subject, at: issuer),
                sessionID.map { Self.name(ofSession: $0, at: issuer) } ?? .null,
                .utf8(issuer), .utf8(subject), .utf8(sessionID), .utf8(keyThumbprint),
                .time(created), .time(absoluteExpiry), .time(idleExpiry), .bytes(sealed), .integer(version),
            ]
        }

        fileprivate init(_ row: PostgreSQLRow) throws(PostgreSQLFailure) {
            guard let id = StoreDigest(bytes: try row.bytes(0)) else {
                throw .unexpectedAnswer(to: row.statement)
            }
            self.init(
                id: id,
                issuer: try row.utf8(1),
                subject: try row.utf8(2),
                sessionID: row.isNull(3) ? nil : try row.utf8(3),
                keyThumbprint: row.isNull(4) ? nil : try row.utf8(4),
                created: try row.time(5),
                absoluteExpiry: try row.time(6),
                idleExpiry: try row.time(7),
                sealed: try row.bytes(8),
                version: try row.integer(9)
            )
            // As it was stored, even if the session expires earlier for another reason.
            idleExpiry = try row.time(7)
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let insertSession = PostgreSQLStatement(
            "keep a session",
            """
            INSERT INTO ostiary_session (
                id, subject_name, session_name, issuer, subject, session, key_thumbprint,
                created, absolute_expires, idle_expires, sealed, version
            ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT (id) DO NOTHING
            RETURNING 1
            """
        )
        fileprivate static let readSession = PostgreSQLStatement(
            "read a session",
            """
            SELECT id, issuer, subject, session, key_thumbprint, created, absolute_expires, idle_expires, sealed, version
            FROM ostiary_session WHERE id = $1 AND expires > $2
            """
        )
        fileprivate static let listSubject = PostgreSQLStatement(
            "list a subject's sessions",
            """
            SELECT id, issuer, subject, session, key_thumbprint, created, absolute_expires, idle_expires, sealed, version
            FROM ostiary_session WHERE subject_name = $1 AND expires > $2 ORDER BY created DESC LIMIT $3
            """
        )
        fileprivate static let replaceSession = PostgreSQLStatement(
            "replace a session",
            """
            UPDATE ostiary_session SET
                subject_name = $2, session_name = $3, issuer = $4, subject = $5, session = $6, key_thumbprint = $7,
                created = $8, absolute_expires = $9, idle_expires = $10, sealed = $11, version = $12::bigint,
                lease_owner = NULL, lease_expires = 0, lease_shown = false
            WHERE id = $1 AND version = $12::bigint - 1 AND expires > $13
            RETURNING 1
            """
        )
        fileprivate static let putSessionOff = PostgreSQLStatement(
            "put the end of a session off",
            """
            UPDATE ostiary_session SET idle_expires = greatest(idle_expires, $2)
            WHERE id = $1 AND expires > $3
            RETURNING 1
            """
        )
        fileprivate static let removeSessionVersion = PostgreSQLStatement(
            "remove a session of a version",
            "DELETE FROM ostiary_session WHERE id = $1 AND version = $2 RETURNING 1"
        )
        fileprivate static let removeSession = PostgreSQLStatement(
            "remove a session",
            "DELETE FROM ostiary_session WHERE id = $1"
        )
        fileprivate static let endOneSession = PostgreSQLStatement(
            "end a subject's session",
            """
            DELETE FROM ostiary_session WHERE subject_name = $1 AND session_name = $2
            RETURNING id, issuer, subject, session, key_thumbprint, created, absolute_expires, idle_expires, sealed, version
            """
        )
        fileprivate static let endSubject = PostgreSQLStatement(
            "end a subject's sessions",
            """
            DELETE FROM ostiary_session WHERE subject_name = $1
            RETURNING id, issuer, subject, session, key_thumbprint, created, absolute_expires, idle_expires, sealed, version
            """
        )
        fileprivate static let endSession = PostgreSQLStatement(
            "end a session",
            """
            DELETE FROM ostiary_session WHERE session_name = $1
            RETURNING id, issuer, subject, session, key_thumbprint, created, absolute_expires, idle_expires, sealed, version
            """
        )
    }
#endif
