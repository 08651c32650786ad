import Foundation
import GRDB
import OstiaryJOSE
public import OstiaryProvider

/// Keeps the provider's records in an SQLite file, so that sign-ins outlive the process.
///
/// Each method is one transaction that takes the write lock at its start: of two processes with the same file, one is
/// first. The file holds private keys, so it belongs to its owner alone.
public struct SQLiteProviderStorage: ProviderStorage {
    private let database: DatabaseQueue

    /// Opens the file, or creates it.
    ///
    /// - Parameter path: Its folder must exist.
    /// - Throws: ``ProviderStorageFailure`` when the file cannot be opened, is not a database, or was written by a
    ///   newer version.
    public init(path: String) throws(ProviderStorageFailure) {
        try PrivateFile.prepare(path)
        do {
            var configuration = Configuration()
            configuration.journalMode = .wal
            configuration.busyMode = .timeout(10)
            configuration.prepareDatabase { database in
                // A removed record is a key or a user's session: overwrite it.
                try database.execute(sql: "PRAGMA secure_delete = ON")
            }
            let database = try DatabaseQueue(path: path, configuration: configuration)
            let migrations = ProviderDatabase.migrations
            guard try database.read({ try !migrations.hasBeenSuperseded($0) }) else {
                throw ProviderStorageFailure("open the database, which a newer version has written")
            }
            try migrations.migrate(database)
            self.database = database
        } catch let failure as ProviderStorageFailure {
            throw failure
        } catch {
            let cause = (error as? DatabaseError)?.message.map { ": \($0)" } ?? ""
            throw ProviderStorageFailure("open the database" + cause)
        }
    }

    /// Keeps a record, in place of one with the same kind and key, and unused.
    public func put(_ record: ProviderRecord) async throws(ProviderStorageFailure) { try await put([record]) }

    /// Keeps records, each in place of one with the same kind and key, and unused: all of them or none.
    public func put(_ records: [ProviderRecord]) async throws(ProviderStorageFailure) {
        try await write("write records") { database in
            for record in records {
                try database.execute(
                    sql: """
                        INSERT INTO record (kind, key, family, session, value, expires) VALUES (?, ?, ?, ?, ?, ?)
                        ON CONFLICT (kind, key) DO UPDATE SET family = excluded.family, session = excluded.session,
                        value = excluded.value, expires = excluded.expires, used = 0
                        """,
                    arguments: try record.columns()
                )
            }
        }
    }

    /// Keeps a record unless there is one with the same kind and key.
    public func add(_ record: ProviderRecord) async throws(ProviderStorageFailure) -> Bool {
        try await write("add a record") { database in
            try database.execute(
                sql: """
                    INSERT INTO record (kind, key, family, session, value, expires) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (kind, key) DO NOTHING
                    """,
                arguments: try record.columns()
            )
            return database.changesCount == 1
        }
    }

    /// Keeps a record in place of a former one with the same kind and key, unused, unless that has changed or is gone.
    public func replace(
        _ former: ProviderRecord,
        with record: ProviderRecord
    ) async throws(ProviderStorageFailure) -> Bool {
        try await write("replace a record") { database in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT * FROM record WHERE kind = ? AND key = ?",
                arguments: [former.kind.rawValue, former.key]
            )
            guard let row, try ProviderRecord(row, former.kind) == former else { return false }
            try database.execute(
                sql: """
                    UPDATE record SET (kind, key, family, session, value, expires, used) = (?, ?, ?, ?, ?, ?, 0)
                    WHERE kind = ? AND key = ?
                    """,
                arguments: try record.columns() + [former.kind.rawValue, former.key]
            )
            return true
        }
    }

    /// The record with a key; `nil` for none.
    public func record(
        _ kind: ProviderRecord.Kind,
        _ key: String
    ) async throws(ProviderStorageFailure) -> ProviderRecord? {
        try await read("read a record") { database in
            try Row.fetchOne(
                database,
                sql: "SELECT * FROM record WHERE kind = ? AND key = ?",
                arguments: [kind.rawValue, key]
            ).map { try ProviderRecord($0, kind) }
        }
    }

    /// Every record of a kind, in the order in which they were first put.
    public func records(_ kind: ProviderRecord.Kind) async throws(ProviderStorageFailure) -> [ProviderRecord] {
        try await read("read records") { database in
            try Row.fetchAll(
                database,
                sql: "SELECT * FROM record WHERE kind = ? ORDER BY id",
                arguments: [kind.rawValue]
            ).map { try ProviderRecord($0, kind) }
        }
    }

    /// Marks a record as used, and returns whether this was the first use.
    public func use(
        _ kind: ProviderRecord.Kind,
        _ key: String
    ) async throws(ProviderStorageFailure) -> ProviderRecord.Use {
        try await write("use a record") { database in
            let arguments: StatementArguments = [kind.rawValue, key]
            let row = try Row.fetchOne(
                database,
                sql: "SELECT * FROM record WHERE kind = ? AND key = ?",
                arguments: arguments
            )
            guard let row else { return .absent }
            let record = try ProviderRecord(row, kind)
            guard row["used"] == false else { return .again(record) }
            try database.execute(sql: "UPDATE record SET used = 1 WHERE kind = ? AND key = ?", arguments: arguments)
            return .first(record)
        }
    }

    /// Whether a record was used; `false` for a missing one.
    public func wasUsed(
        _ kind: ProviderRecord.Kind,
        _ key: String
    ) async throws(ProviderStorageFailure) -> Bool {
        try await read("read a record") { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT used FROM record WHERE kind = ? AND key = ?",
                arguments: [kind.rawValue, key]
            ) ?? false
        }
    }

    /// Forgets records, and overwrites where they stood.
    public func remove(_ selection: ProviderRecord.Selection) async throws(ProviderStorageFailure) {
        try await write("remove records") { database in
            switch selection {
            case .key(let kind, let key):
                try database.execute(
                    sql: "DELETE FROM record WHERE kind = ? AND key = ?",
                    arguments: [kind.rawValue, key]
                )
            case .family(let family):
                try database.execute(sql: "DELETE FROM record WHERE family = ?", arguments: [family])
            case .session(let session):
                try database.execute(sql: "DELETE FROM record WHERE session = ?", arguments: [session])
            case .expired(let date):
                try database.execute(
                    sql: "DELETE FROM record WHERE expires <= ?",
                    arguments: [date.timeIntervalSinceReferenceDate]
                )
            }
        }
    }

    /// Every record of every kind as of one moment, in the order in which they were first put.
    public func contents() async throws(ProviderStorageFailure) -> [ProviderRecord.Stored] {
        try await read("read every record") { database in
            try Row.fetchAll(database, sql: "SELECT * FROM record ORDER BY id").map { row in
                guard let kind = ProviderRecord.Kind(rawValue: row["kind"]) else {
                    throw ProviderStorageFailure("read a record of an unknown kind")
                }
                return ProviderRecord.Stored(try ProviderRecord(row, kind), isUsed: row["used"])
            }
        }
    }

    /// Keeps these records, in this order, and no other one, in one transaction.
    public func replaceAll(with records: [ProviderRecord.Stored]) async throws(ProviderStorageFailure) {
        try await write("replace every record") { database in
            try database.execute(sql: "DELETE FROM record")
            for stored in records {
                try database.execute(
                    sql: """
                        INSERT INTO record (kind, key, family, session, value, expires, used)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: try stored.record.columns() + [stored.isUsed]
                )
            }
        }
    }

    /// Writes the remaining data to the file and closes it.
    ///
    /// Every call after this one fails.
    public func close() throws(ProviderStorageFailure) {
        do {
            try database.close()
        } catch {
            throw ProviderStorageFailure("close the database")
        }
    }

    private func write<Value: Sendable>(
        _ operation: String,
        _ change: @escaping @Sendable (Database) throws -> Value
    ) async throws(ProviderStorageFailure) -> Value {
        do { return try await database.write(change) } catch let failure as ProviderStorageFailure {
            throw failure
        } catch {
            throw ProviderStorageFailure(operation)
        }
    }

    private func read<Value: Sendable>(
        _ operation: String,
        _ query: @escaping @Sendable (Database) throws -> Value
    ) async throws(ProviderStorageFailure) -> Value {
        do { return try await database.read(query) } catch let failure as ProviderStorageFailure {
            throw failure
        } catch {
            throw ProviderStorageFailure(operation)
        }
    }
}

extension ProviderRecord {
    fileprivate init(_ row: Row, _ kind: Kind) throws {
        let value: Data = row["value"]
        let expires: Double? = row["expires"]
        self.init(
            kind: kind,
            key: row["key"],
            family: row["family"],
            session: row["session"],
            value: try JSONObject(parsing: Array(value), limits: Self.limits),
            expires: expires.map(Date.init(timeIntervalSinceReferenceDate:))
        )
    }

    /// The values of the first six columns.
    ///
    /// - Throws: ``ProviderStorageFailure`` for a record that could not be read back, and with it none of its kind.
    fileprivate func columns() throws(ProviderStorageFailure) -> StatementArguments {
        let text = value.encoded()
        guard (try? JSONObject(parsing: text, limits: Self.limits)) != nil else {
            throw ProviderStorageFailure("keep a record that is nested too deep or too large")
        }
        return [kind.rawValue, key, family, session, Data(text), expires?.timeIntervalSinceReferenceDate]
    }
}
