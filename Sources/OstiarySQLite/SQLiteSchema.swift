#if SQLite
    import GRDB

    /// The tables, as a list of changes that each file goes through in this order.
    ///
    /// Texts are stored as their UTF-8 bytes, so that every comparison is exact; times are microseconds since 1970; a
    /// row is expired from its `expires` on. A redemption's `answer_expires` is the expiry of its answer or, before
    /// there is one, the time by which an answer is expected.
    enum SQLiteSchema {
        /// A released migration is never edited: the next one is appended.
        static var migrations: DatabaseMigrator {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1: everything that a backend keeps") { database in
                try database.execute(
                    sql: """
                        CREATE TABLE replay (
                            identifier BLOB PRIMARY KEY, owner BLOB NOT NULL, expires INTEGER NOT NULL
                        ) STRICT, WITHOUT ROWID;
                        CREATE INDEX replay_owner ON replay (owner, expires);
                        CREATE INDEX replay_expires ON replay (expires);

                        CREATE TABLE redemption (
                            code BLOB PRIMARY KEY, request BLOB NOT NULL, expires INTEGER NOT NULL,
                            answer BLOB, answer_expires INTEGER
                        ) STRICT;
                        CREATE INDEX redemption_expires ON redemption (expires);

                        CREATE TABLE value (
                            name BLOB PRIMARY KEY, value BLOB NOT NULL, expires INTEGER NOT NULL
                        ) STRICT;
                        CREATE INDEX value_expires ON value (expires);

                        CREATE TABLE session (
                            id BLOB PRIMARY KEY, issuer BLOB NOT NULL, subject BLOB NOT NULL, session BLOB,
                            key_thumbprint BLOB, created INTEGER NOT NULL, absolute_expires INTEGER NOT NULL,
                            idle_expires INTEGER NOT NULL, expires INTEGER NOT NULL, sealed BLOB NOT NULL,
                            version INTEGER NOT NULL,
                            lease_owner BLOB, lease_expires INTEGER NOT NULL DEFAULT 0,
                            lease_shown INTEGER NOT NULL DEFAULT 0
                        ) STRICT;
                        CREATE INDEX session_subject ON session (issuer, subject);
                        CREATE INDEX session_session ON session (issuer, session) WHERE session IS NOT NULL;
                        CREATE INDEX session_expires ON session (expires);

                        CREATE TABLE verification (
                            subject BLOB PRIMARY KEY, verified INTEGER NOT NULL, cohort BLOB, campus BLOB,
                            verified_at INTEGER NOT NULL
                        ) STRICT;

                        CREATE TABLE rate_limit (
                            name BLOB PRIMARY KEY, expires INTEGER NOT NULL
                        ) STRICT, WITHOUT ROWID;
                        CREATE INDEX rate_limit_expires ON rate_limit (expires);
                        """
                )
            }
            migrator.registerMigration("2: what is taken no more") { database in
                try database.execute(
                    sql: """
                        CREATE TABLE revocation (
                            name BLOB PRIMARY KEY, revoked INTEGER NOT NULL, expires INTEGER NOT NULL
                        ) STRICT, WITHOUT ROWID;
                        CREATE INDEX revocation_revoked ON revocation (revoked, name);
                        CREATE INDEX revocation_expires ON revocation (expires);
                        """
                )
            }
            migrator.registerMigration("3: revocations that an issuer has not confirmed") { database in
                try database.execute(
                    sql: """
                        CREATE TABLE pending_revocation (
                            name BLOB PRIMARY KEY, client BLOB NOT NULL, sealed BLOB NOT NULL,
                            created INTEGER NOT NULL, due INTEGER NOT NULL, expires INTEGER NOT NULL
                        ) STRICT;
                        CREATE INDEX pending_revocation_due ON pending_revocation (client, due);
                        CREATE INDEX pending_revocation_expires ON pending_revocation (expires);
                        """
                )
            }
            return migrator
        }
    }
#endif
