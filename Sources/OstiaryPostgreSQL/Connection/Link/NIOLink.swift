#if PostgreSQL
    import Logging
    import NIOCore
    import OstiaryCompatibility
    import PostgresNIO

    /// A link over PostgresNIO.
    ///
    /// It adds a time limit for each statement, and a cache of prepared statements that does not remember failures.
    /// PostgresNIO's own cache keeps a failed preparation, such as one that waited too long for a lock, for the life of
    /// the connection.
    final class NIOLink: PostgreSQLLink {
        /// PostgresNIO's log could contain rows.
        static let logger = Logger(label: "ostiary.postgresql", factory: { _ in SwiftLogNoOpLogHandler() })

        private let connection: PostgresConnection
        private let preparesStatements: Bool
        private let prepared = Lock<[String: PreparedQuery]>([:])
        private let isBroken = Lock(false)

        init(_ connection: PostgresConnection, preparesStatements: Bool) {
            self.connection = connection
            self.preparesStatements = preparesStatements
        }

        deinit { Self.end(connection) }

        var isOpen: Bool { !connection.isClosed && !isBroken.withLock { $0 } }

        func execute(
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue],
            within time: Duration
        ) async throws(PostgreSQLFailure) -> [PostgreSQLRow]? {
            do {
                // On the event loop, where what the socket has to read was read before: a connection that the server has
                // ended is closed by then.
                return try await connection.eventLoop.flatSubmit { self.started(statement, values, within: time) }.get()
            } catch {
                throw failure(error, of: statement.name)
            }
        }

        func close() async {
            isBroken.withLock { $0 = true }
            try? await connection.close()
        }

        /// Closes a connection, which has to stay in memory until it is closed.
        static func end(_ connection: PostgresConnection) {
            connection.close().whenComplete { _ in withExtendedLifetime(connection) {} }
        }
    }

    // On the event loop.
    extension NIOLink {
        private func started(
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue],
            within time: Duration
        ) -> EventLoopFuture<[PostgreSQLRow]?> {
            let loop = connection.eventLoop
            guard isOpen else { return loop.makeSucceededFuture(nil) }
            let answer = loop.makePromise(of: [PostgreSQLRow]?.self)
            let timer = loop.scheduleTask(in: TimeAmount(time)) {
                // The first result counts, and the end of the connection is a result.
                answer.fail(PostgreSQLFailure.timedOut(statement.name))
                self.breakOff()
            }
            let rows =
                statement.isPrepared && preparesStatements
                ? executed(statement, values) : executedOnce(statement, values)
            rows.whenComplete { result in
                timer.cancel()
                answer.completeWith(result.map { .some($0) })
            }
            return answer.futureResult
        }

        private func executed(
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue]
        ) -> EventLoopFuture<[PostgreSQLRow]> {
            let name = statement.name
            let execute = { @Sendable (query: PreparedQuery) -> EventLoopFuture<[PostgreSQLRow]> in
                query.execute(values.map(\.data)).map { rows in rows.map { PostgreSQLRow($0, of: name) } }
            }
            if let query = prepared.withLock({ $0[name] }) { return execute(query) }
            return connection.prepare(query: statement.text).flatMap { query in
                self.prepared.withLock { $0[name] = query }
                return execute(query)
            }
        }

        private func executedOnce(
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue]
        ) -> EventLoopFuture<[PostgreSQLRow]> {
            var binds = PostgresBindings(capacity: values.count)
            for value in values { binds.append(value.data) }
            let query = PostgresQuery(unsafeSQL: statement.text, binds: binds)
            return connection.query(query, logger: Self.logger).map { result in
                result.rows.map { PostgreSQLRow($0, of: statement.name) }
            }
        }

        private func breakOff() {
            isBroken.withLock { $0 = true }
            Self.end(connection)
        }

        private func failure(_ error: any Error, of name: String) -> PostgreSQLFailure {
            if let failure = error as? PostgreSQLFailure { return failure }
            guard let refusal = ServerRefusal(error), !refusal.endsConnection else {
                breakOff()
                return .connectionLost(during: name)
            }
            switch refusal.state {
            // statement_timeout cancels a statement, and lock_timeout reports a lock that was not available in time.
            case "57014", "55P03": return .timedOut(name)
            // A server that refuses writes has become a standby; a plan that no longer fits is discarded with its
            // connection.
            case "25006", "0A000": breakOff()
            default: break
            }
            return .refused(name, state: refusal.state)
        }
    }

    /// The server's words for a refusal.
    struct ServerRefusal {
        let state: String
        let message: String
        /// Whether the server ended the connection with it.
        let endsConnection: Bool

        /// `nil` for an error that is not the server's.
        init?(_ error: any Error) {
            let severity: String?
            if let error = error as? PSQLError, let info = error.serverInfo {
                (state, message) = (info[.sqlState] ?? "", info[.message] ?? "")
                severity = info[.severity]
            } else if case .server(let server)? = error as? PostgresError {
                (state, message) = (server.fields[.sqlState] ?? "", server.fields[.message] ?? "")
                severity = server.fields[.severity]
            } else {
                return nil
            }
            endsConnection = severity == "FATAL" || severity == "PANIC"
        }
    }

    extension PostgreSQLValue {
        /// The value with an unnamed type: the server infers it from the statement.
        fileprivate var data: PostgresData {
            PostgresData(type: .null, formatCode: .binary, value: encoded.map { ByteBuffer(bytes: $0) })
        }
    }

    extension PostgreSQLRow {
        fileprivate init(_ row: PostgresRow, of statement: String) {
            self.init(statement: statement, cells: row.map { cell in cell.bytes.map { Array($0.readableBytesView) } })
        }
    }
#endif
