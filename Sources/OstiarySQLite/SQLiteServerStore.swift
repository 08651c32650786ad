#if SQLite
    import GRDB
    import OstiaryOAuth
    public import OstiaryServer

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Stores the backend kit's data in an SQLite file, for a service with one instance and no database server.
    ///
    ///     let store = try SQLiteServerStore(path: "/var/lib/app/ostiary.sqlite")
    ///
    /// Each change is on the disk when its call returns. Several processes of one machine may share the file, and take
    /// turns; for many instances, use PostgreSQL. Removed data is overwritten.
    public final class SQLiteServerStore: ServerStore {
        let room: ReplayRoom
        private let database: DatabasePool
        private let report: @Sendable (SQLiteFailure) -> Void

        /// Opens the file, or creates it for this user only, and migrates its tables to the version that this program
        /// knows.
        ///
        /// - Parameters:
        ///   - path: The file; its folder has to exist.
        ///   - room: The approximate number of identifiers that are recorded for one owner. Default 10,000.
        ///   - events: Called with each failure, of which callers see only a `StorageFailure`. Default: failures are
        ///     not reported.
        /// - Throws: `cannotOpen`, also for a file that other users can access; `newerSchema` for a file of a later
        ///   program, which is left as it was.
        public init(
            path: String,
            replayRoom room: Int = 10_000,
            events: @escaping @Sendable (SQLiteFailure) -> Void = { _ in }
        ) throws(SQLiteFailure) {
            self.room = ReplayRoom(room)
            report = events
            try prepareFile(path)
            do {
                var configuration = Configuration()
                configuration.busyMode = .timeout(5)
                configuration.prepareDatabase { database in
                    // A change that was confirmed survives a loss of power as well.
                    try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
                }
                database = try DatabasePool(path: path, configuration: configuration)
                let migrations = SQLiteSchema.migrations
                guard try database.read({ try !migrations.hasBeenSuperseded($0) }) else {
                    throw SQLiteFailure.newerSchema
                }
                try migrations.migrate(database)
            } catch let failure as SQLiteFailure {
                throw failure
            } catch {
                throw .cannotOpen(path)
            }
        }

        /// Writes the remaining changes to the file and closes it; every later call fails.
        public func close() { try? database.close() }

        func write<Value: Sendable>(
            _ operation: String,
            _ change: @escaping @Sendable (Database) throws -> Value
        ) async throws(StorageFailure) -> Value {
            do { return try await database.write(change) } catch { throw failure(of: operation, error) }
        }

        func read<Value: Sendable>(
            _ operation: String,
            _ query: @escaping @Sendable (Database) throws -> Value
        ) async throws(StorageFailure) -> Value {
            do { return try await database.read(query) } catch { throw failure(of: operation, error) }
        }

        private func failure(of operation: String, _ error: any Error) -> StorageFailure {
            if let failure = error as? StorageFailure { return failure }
            // The caller has left, and the file has not failed.
            if error is CancellationError { return .unavailable }
            let code = (error as? DatabaseError)?.resultCode
            report(.failed(operation, code: code?.rawValue ?? -1))
            return switch code {
            case .SQLITE_BUSY?, .SQLITE_LOCKED?: .locked
            case .SQLITE_CORRUPT?, .SQLITE_NOTADB?: .corrupted
            default: .unavailable
            }
        }
    }

    /// Creates the file for this user only, since SQLite would make it readable for all.
    private func prepareFile(_ path: String) throws(SQLiteFailure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(path) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & 0o077 == 0 else { throw .cannotOpen(path) }
    }
#endif
