import GRDB

/// The tables, and the migrations that made them.
enum ProviderDatabase {
    /// One migration for each version that was released; a released one is never edited.
    static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: records") { database in
            // The id never repeats, so it gives the order in which records were first stored.
            try database.execute(
                sql: """
                    CREATE TABLE record (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        kind TEXT NOT NULL,
                        key TEXT NOT NULL,
                        family TEXT,
                        session TEXT,
                        value BLOB NOT NULL,
                        expires REAL,
                        used INTEGER NOT NULL DEFAULT 0,
                        UNIQUE (kind, key)
                    ) STRICT;
                    CREATE INDEX record_family ON record (family) WHERE family IS NOT NULL;
                    CREATE INDEX record_session ON record (session) WHERE session IS NOT NULL;
                    CREATE INDEX record_expires ON record (expires) WHERE expires IS NOT NULL;
                    """
            )
        }
        return migrator
    }
}
