#if PostgreSQL
    import OstiaryOAuth
    public import OstiaryServer

    /// Keeps what the backend kit remembers in PostgreSQL, where all instances of a service share it.
    ///
    ///     let store = PostgreSQLServerStore(
    ///         try PostgreSQLConfiguration(host: "db.internal", database: "app", user: "app", password: password,
    ///             security: .verified(certificateAuthorities: "/etc/ssl/certs/ca-certificates.crt")))
    ///     try await store.migrate()
    ///
    /// Each call is one transaction, most are one statement; waiting for the database keeps no thread of Swift's
    /// concurrency pool. After the server was restarted, connections are made anew. A call that throws is not repeated by
    /// itself, since nobody knows whether it was carried out.
    public final class PostgreSQLServerStore: ServerStore {
        let room: ReplayRoom
        private let pool: PostgreSQLPool
        private let report: @Sendable (PostgreSQLFailure) -> Void

        /// Describes a store; the first call connects.
        ///
        /// - Parameters:
        ///   - configuration: Where the database is.
        ///   - room: About how many identifiers are remembered of one owner; instances that count at the same time may pass
        ///     it by a sixteenth each. Default 10,000.
        ///   - report: Called with what went wrong, of which callers learn only that the store is unavailable. Default:
        ///     nobody is told.
        public init(
            _ configuration: PostgreSQLConfiguration,
            replayRoom room: Int = 10_000,
            reporting report: @escaping @Sendable (PostgreSQLFailure) -> Void = { _ in }
        ) {
            self.room = ReplayRoom(room)
            pool = PostgreSQLPool(configuration)
            self.report = report
        }

        /// Brings the tables to the version that this program knows, all or nothing; several instances may do so at once.
        ///
        /// The database's user has to be allowed to make tables.
        ///
        /// - Returns: The version; a later one where a later program was here, whose tables this one can use.
        /// - Throws: `newerSchema` when a later program was here whose tables this one cannot use; nothing is changed then.
        @discardableResult
        public func migrate() async throws(PostgreSQLFailure) -> Int {
            try await pool.run { handle throws(PostgreSQLFailure) in try handle.migrate() }
        }

        /// The version that the tables have, for a health check and for a start without ``migrate()``.
        ///
        /// - Returns: The version; it may be a later one than this program's, whose tables it can use.
        /// - Throws: `newerSchema` when this program cannot use them; `refused` with the state `42P01` before the first migration.
        public func schemaVersion() async throws(PostgreSQLFailure) -> Int {
            try await pool.run { handle throws(PostgreSQLFailure) in try handle.schemaVersion() }
        }

        /// The version that this program needs.
        public static var neededSchemaVersion: Int { PostgreSQLSchema.version }

        /// Closes the connections, those in use after their last use; every later call fails.
        public func close() async { await pool.close() }

        /// Does something with a connection, and tells the caller no more than has to be known.
        func run<Value: Sendable>(
            _ body: @Sendable (PostgreSQLHandle) throws(PostgreSQLFailure) -> Value
        ) async throws(StorageFailure) -> Value {
            do throws(PostgreSQLFailure) {
                return try await pool.run(body)
            } catch {
                report(error)
                switch error {
                case .busy, .timedOut: throw .locked
                case .unexpectedAnswer: throw .corrupted
                default: throw .unavailable
                }
            }
        }
    }
#endif
