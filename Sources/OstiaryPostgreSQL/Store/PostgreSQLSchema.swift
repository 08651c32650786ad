#if PostgreSQL
    /// The tables, as a list of changes that each database goes through in this order.
    ///
    /// Texts are stored as their UTF-8 bytes, since `text` cannot hold U+0000; times are microseconds since 1970; a row
    /// is expired from its `expires` on. A redemption's `answer_expires` is the expiry of its answer or, before there
    /// is one, the time by which an answer is expected.
    enum PostgreSQLSchema {
        /// The version that this program knows.
        static var version: Int { changes.count }

        /// A released change is never edited: the next one is appended.
        ///
        /// A semicolon at the end of a line ends a statement.
        static let changes: [StaticString] = [
            """
            CREATE TABLE ostiary_replay (
                identifier bytea PRIMARY KEY,
                owner bytea NOT NULL,
                expires bigint NOT NULL
            );
            CREATE INDEX ostiary_replay_owner ON ostiary_replay (owner, expires);
            CREATE INDEX ostiary_replay_expires ON ostiary_replay (expires);

            CREATE TABLE ostiary_redemption (
                code bytea PRIMARY KEY,
                request bytea NOT NULL,
                expires bigint NOT NULL,
                answer bytea,
                answer_expires bigint
            );
            CREATE INDEX ostiary_redemption_expires ON ostiary_redemption (expires);

            CREATE TABLE ostiary_value (
                name bytea PRIMARY KEY,
                value bytea NOT NULL,
                expires bigint NOT NULL
            );
            CREATE INDEX ostiary_value_expires ON ostiary_value (expires);

            CREATE TABLE ostiary_session (
                id bytea PRIMARY KEY,
                subject_name bytea NOT NULL,
                session_name bytea,
                issuer bytea NOT NULL,
                subject bytea NOT NULL,
                session bytea,
                key_thumbprint bytea,
                created bigint NOT NULL,
                absolute_expires bigint NOT NULL,
                idle_expires bigint NOT NULL,
                expires bigint GENERATED ALWAYS AS (least(absolute_expires, idle_expires)) STORED,
                sealed bytea NOT NULL,
                version bigint NOT NULL,
                lease_owner bytea,
                lease_expires bigint NOT NULL DEFAULT 0,
                lease_shown boolean NOT NULL DEFAULT false
            );
            CREATE INDEX ostiary_session_subject ON ostiary_session (subject_name);
            CREATE INDEX ostiary_session_session ON ostiary_session (session_name);
            CREATE INDEX ostiary_session_expires ON ostiary_session (expires);

            CREATE TABLE ostiary_verification (
                name bytea PRIMARY KEY,
                subject bytea NOT NULL,
                verified boolean NOT NULL,
                cohort bytea,
                campus bytea,
                verified_at bigint NOT NULL
            );

            CREATE TABLE ostiary_limit (
                name bytea PRIMARY KEY,
                expires bigint NOT NULL
            );
            CREATE INDEX ostiary_limit_expires ON ostiary_limit (expires);
            """,
            """
            CREATE TABLE ostiary_revocation (
                name bytea PRIMARY KEY,
                revoked bigint NOT NULL,
                expires bigint NOT NULL
            );
            CREATE INDEX ostiary_revocation_revoked ON ostiary_revocation (revoked, name);
            CREATE INDEX ostiary_revocation_expires ON ostiary_revocation (expires);
            """,
            "ALTER TABLE ostiary_schema ADD COLUMN oldest bigint;",
            """
            CREATE TABLE ostiary_pending_revocation (
                name bytea PRIMARY KEY,
                client bytea NOT NULL,
                sealed bytea NOT NULL,
                created bigint NOT NULL,
                due bigint NOT NULL,
                expires bigint NOT NULL
            );
            CREATE INDEX ostiary_pending_revocation_due ON ostiary_pending_revocation (client, due);
            CREATE INDEX ostiary_pending_revocation_expires ON ostiary_pending_revocation (expires);

            -- A lease rewrites its row, in the same page where there is room; proofs come and go by the thousand.
            ALTER TABLE ostiary_session SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
            ALTER TABLE ostiary_replay SET (autovacuum_vacuum_scale_factor = 0.02);
            ALTER TABLE ostiary_limit SET (autovacuum_vacuum_scale_factor = 0.02);
            """,
        ]

        /// The oldest version whose program can use the tables of this one; it is recorded with them.
        ///
        /// Only a change that removes something, or changes its meaning, raises it. While a new version of the program
        /// is rolled out, the old one continues with the new tables.
        static let oldest = 1
    }

    /// A version of the tables.
    struct PostgreSQLSchemaVersion: Sendable {
        let number: Int
        /// The oldest version whose program can use them.
        let oldest: Int

        /// - Throws: `newerSchema` when this program cannot use such tables.
        func check() throws(PostgreSQLFailure) {
            guard number <= PostgreSQLSchema.version || oldest <= PostgreSQLSchema.version else {
                throw .newerSchema(found: number, known: PostgreSQLSchema.version)
            }
        }
    }

    extension PostgreSQLConnection {
        /// Migrates the tables to the version that this program knows, in full or not at all.
        ///
        /// Instances that start at once migrate one after the other, and the later ones find nothing to do. A statement
        /// may take a minute.
        func migrate() async throws(PostgreSQLFailure) -> Int {
            try await patientTransaction { () async throws(PostgreSQLFailure) in
                try await self.execute(.waitForMigrations)
                try await self.execute(.makeSchemaTable)
                let found = try await self.schemaVersion()
                guard found < PostgreSQLSchema.version else { return found }
                for version in found..<PostgreSQLSchema.version {
                    for statement in PostgreSQLStatement.script("migrate", PostgreSQLSchema.changes[version]) {
                        try await self.execute(statement)
                    }
                    try await self.execute(.recordVersion, [.integer(version + 1)])
                }
                let versions: [PostgreSQLValue] = [
                    .integer(PostgreSQLSchema.version), .integer(PostgreSQLSchema.oldest),
                ]
                try await self.execute(.recordOldest, versions)
                return PostgreSQLSchema.version
            }
        }

        /// Returns the version of the tables.
        ///
        /// - Throws: `newerSchema` when this program cannot use them.
        func schemaVersion() async throws(PostgreSQLFailure) -> Int {
            guard let row = try await execute(.schemaVersion).first else { return 0 }
            let found = PostgreSQLSchemaVersion(number: try row.integer(0), oldest: try row.integer(1))
            try found.check()
            return found.number
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let waitForMigrations = PostgreSQLStatement(
            "wait for migrations",
            "SELECT pg_advisory_xact_lock(7383946517022139)",
            isPrepared: false
        )
        fileprivate static let makeSchemaTable = PostgreSQLStatement(
            "make the schema's own table",
            """
            CREATE TABLE IF NOT EXISTS ostiary_schema (
                version bigint PRIMARY KEY,
                applied timestamptz NOT NULL DEFAULT now()
            )
            """,
            isPrepared: false
        )
        fileprivate static let schemaVersion = PostgreSQLStatement(
            "read the schema's version",
            // The third version added the column; a version that did not record it is compatible with no other.
            """
            SELECT coalesce(max(version), 0),
                   coalesce(max(coalesce((to_jsonb(s) ->> 'oldest')::bigint, version)), 0)
            FROM ostiary_schema s
            """
        )
        fileprivate static let recordOldest = PostgreSQLStatement(
            "record who can use the schema",
            "UPDATE ostiary_schema SET oldest = $2 WHERE version <= $1"
        )
        fileprivate static let recordVersion = PostgreSQLStatement(
            "record the schema's version",
            "INSERT INTO ostiary_schema (version) VALUES ($1)"
        )
    }
#endif
