#if PostgreSQL
    import OstiaryOAuth
    public import OstiaryServer

    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// Stores the backend kit's data in PostgreSQL, where all instances of a service share it.
    ///
    ///     let store = PostgreSQLServerStore(
    ///         try PostgreSQLConfiguration(host: "db.internal", database: "app", user: "app", password: password,
    ///             security: .verified(certificateAuthorities: "/etc/ssl/certs/ca-certificates.crt")))
    ///     try await store.migrate()
    ///
    /// Each call is one transaction, and most are one statement; waiting for the database blocks no thread of Swift's
    /// concurrency pool. Connections are opened again after the server was restarted. A call that throws is not
    /// repeated automatically, since it may have been carried out.
    public final class PostgreSQLServerStore: ServerStore {
        let room: ReplayRoom
        private let pool: PostgreSQLPool
        private let report: @Sendable (PostgreSQLFailure) -> Void

        /// Describes a store; the first call connects.
        ///
        /// - Parameters:
        ///   - configuration: The address of the database, and its limits.
        ///   - room: The approximate number of identifiers that are recorded for one owner; instances that count at the
        ///     same time may each exceed it by a sixteenth. Default 10,000.
        ///   - events: Called with each failure, of which callers see only a `StorageFailure`. Default: failures are
        ///     not reported.
        public init(
            _ configuration: PostgreSQLConfiguration,
            replayRoom room: Int = 10_000,
            events: @escaping @Sendable (PostgreSQLFailure) -> Void = { _ in }
        ) {
            self.room = ReplayRoom(room)
            pool = PostgreSQLPool(configuration)
            report = events
        }

        /// Migrates the tables to the version that this program knows, in full or not at all.
        ///
        /// Several instances may do so at once. The database user has to be allowed to create tables.
        ///
        /// - Returns: The version; a later one if a later program has migrated the tables, and this program can use
        ///   them.
        /// - Throws: `newerSchema` if a later program has migrated the tables, and this program cannot use them;
        ///   nothing is changed.
        @discardableResult
        public func migrate() async throws(PostgreSQLFailure) -> Int {
            try await pool.run { connection async throws(PostgreSQLFailure) in try await connection.migrate() }
        }

        /// Returns the version of the tables, for a health check and for a start without ``migrate()``.
        ///
        /// - Returns: The version; it may be later than this program's, if this program can use the tables.
        /// - Throws: `newerSchema` when this program cannot use the tables; `refused` with the state `42P01` before the
        ///   first migration.
        public func schemaVersion() async throws(PostgreSQLFailure) -> Int {
            try await pool.run { connection async throws(PostgreSQLFailure) in try await connection.schemaVersion() }
        }

        /// Returns the time by which the database's clock is ahead of this machine's; negative when it is behind.
        ///
        /// The instances of a service compare times that others stored, each by its own clock: the database's clock is the
        /// one that all of them can compare theirs with.
        ///
        /// - Parameter now: This machine's clock. Default: the system's.
        /// - Returns: The difference, as accurate as the statement's round trip: a difference that the round trip
        ///   explains is zero.
        /// - Throws: The failure of the statement.
        public func clockOffset(
            now: @escaping @Sendable () -> Date = { Date() }
        ) async throws(PostgreSQLFailure) -> Duration {
            try await pool.run { connection async throws(PostgreSQLFailure) in
                let sent = now()
                guard let row = try await connection.execute(.readClock).first else {
                    throw .unexpectedAnswer(to: PostgreSQLStatement.readClock.name)
                }
                let time = try row.time(0)
                let received = now()
                if time < sent { return .seconds(time.timeIntervalSince(sent)) }
                return time > received ? .seconds(time.timeIntervalSince(received)) : .zero
            }
        }

        /// The version that this program needs.
        public static var neededSchemaVersion: Int { PostgreSQLSchema.version }

        /// The use of the connections of a store at one moment.
        public struct ConnectionUse: Sendable, Hashable {
            /// The number of connections that calls have now.
            public let inUse: Int
            /// The number of calls that wait for a connection.
            public let waiting: Int
            /// The most connections, as in ``PostgreSQLConfiguration/connections``.
            public let maximum: Int
        }

        /// The use of the connections at this moment, for metrics: while calls wait, the connections are the bottleneck.
        public var connectionUse: ConnectionUse { pool.use }

        /// Closes the idle connections, and the others after their last use; every later call fails.
        public func close() async { await pool.close() }

        /// Runs a body with a connection, reports its failure, and throws the caller's part of it.
        func run<Value: Sendable>(
            _ body: @Sendable (PostgreSQLConnection) async throws(PostgreSQLFailure) -> Value
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

    extension PostgreSQLStatement {
        fileprivate static let readClock = PostgreSQLStatement(
            "read the clock",
            "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        )
    }
#endif
