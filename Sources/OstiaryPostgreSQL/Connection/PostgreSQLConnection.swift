#if PostgreSQL
    /// One connection of a pool, made when it is first needed, and made anew after it broke.
    actor PostgreSQLConnection {
        private let thread = ConnectionThread()
        private let configuration: PostgreSQLConfiguration
        private var handle: PostgreSQLHandle?

        init(_ configuration: PostgreSQLConfiguration) { self.configuration = configuration }

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        /// Does something with the connection, from its beginning to its end on the connection's own thread.
        func perform<Value: Sendable>(
            _ body: @Sendable (PostgreSQLHandle) throws(PostgreSQLFailure) -> Value
        ) throws(PostgreSQLFailure) -> Value {
            try body(try usableHandle())
        }

        func close() { handle = nil }

        private func usableHandle() throws(PostgreSQLFailure) -> PostgreSQLHandle {
            // An idle connection that has something to say has been ended, such as by a restart of the server.
            if let handle, handle.isUsable { return handle }
            handle = nil
            let deadline = ContinuousClock.now + configuration.connectTime
            var pause = 25
            var first: PostgreSQLFailure?
            while true {
                do throws(PostgreSQLFailure) {
                    let made = try PostgreSQLHandle(configuration, until: deadline)
                    handle = made
                    return made
                } catch {
                    // The first reason says more than that the time was over in the middle of the last attempt.
                    first = first ?? error
                    // A server that starts refuses connections for a moment.
                    guard ContinuousClock.now + .milliseconds(pause) < deadline else { throw first ?? error }
                    PostgreSQLSocket.pause(milliseconds: pause)
                    pause = min(pause * 2, 400)
                }
            }
        }
    }
#endif
