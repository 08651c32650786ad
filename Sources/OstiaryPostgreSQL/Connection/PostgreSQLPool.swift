#if PostgreSQL
    import OstiaryCompatibility

    /// A fixed number of connections, each lent to one caller at a time; other callers wait, for a limited time.
    final class PostgreSQLPool: Sendable {
        private let line: Lock<ConnectionLine>
        private let waitingTime: Duration
        private let maximum: Int

        init(_ configuration: PostgreSQLConfiguration) {
            waitingTime = configuration.waitingTime
            let names = NameLookup()
            let connections = (0..<max(1, configuration.connections)).map { _ in
                PostgreSQLConnection(configuration, names: names)
            }
            maximum = connections.count
            line = Lock(ConnectionLine(connections))
        }

        /// Runs a body with a connection.
        ///
        /// - Throws: `busy` when no connection became free in time, or the task was cancelled; `closed` after
        ///   ``close()``; the errors of `body`.
        func run<Value: Sendable>(
            _ body: @Sendable (PostgreSQLConnection) async throws(PostgreSQLFailure) -> Value
        ) async throws(PostgreSQLFailure) -> Value {
            let connection = try await lend()
            defer { giveBack(connection) }
            return try await connection.perform(body)
        }

        /// The use of the connections at this moment.
        var use: PostgreSQLServerStore.ConnectionUse {
            line.withLock { line in
                PostgreSQLServerStore.ConnectionUse(
                    inUse: line.isClosed ? 0 : maximum - line.idleCount,
                    waiting: line.waitingCount,
                    maximum: maximum
                )
            }
        }

        /// Closes the idle connections, and the others after their last use; every later call fails.
        func close() async {
            let (waiting, idle) = line.withLock { $0.close() }
            for waiter in waiting { waiter.resume(returning: nil) }
            for connection in idle { await connection.close() }
        }

        private func lend() async throws(PostgreSQLFailure) -> PostgreSQLConnection {
            switch line.withLock({ $0.request() }) {
            case .lent(let connection): return connection
            case .closed: throw .closed
            case .wait(let ticket):
                if let connection = await wait(ticket) { return connection }
                throw line.withLock(\.isClosed) ? .closed : .busy
            }
        }

        private func wait(_ ticket: Int) async -> PostgreSQLConnection? {
            let timer = Task { [waitingTime] in
                try await Task.sleep(for: waitingTime)
                giveUp(ticket)
            }
            defer {
                timer.cancel()
                line.withLock { $0.forget(ticket) }
            }
            return await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    // A connection may have become free in the meantime, or the wait may be over.
                    switch line.withLock({ $0.wait(ticket, continuation) }) {
                    case .lent(let connection): continuation.resume(returning: connection)
                    case .closed: continuation.resume(returning: nil)
                    case .wait, nil: break
                    }
                }
            } onCancel: {
                giveUp(ticket)
            }
        }

        private func giveBack(_ connection: PostgreSQLConnection) {
            let next = line.withLock { $0.giveBack(connection) }
            next?.resume(returning: connection)
        }

        private func giveUp(_ ticket: Int) {
            let waiter = line.withLock { $0.leave(ticket) }
            waiter?.resume(returning: nil)
        }
    }
#endif
