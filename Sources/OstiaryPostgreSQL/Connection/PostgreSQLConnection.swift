#if PostgreSQL
    /// One connection of a pool, made when it is first needed, and made anew after it broke.
    actor PostgreSQLConnection {
        private let thread = ConnectionThread()
        private let configuration: PostgreSQLConfiguration
        private var handle: PostgreSQLHandle?
        /// The host that was connected to last.
        private var favorite = 0
        /// Why the server turned this program away, and until when it is not asked again.
        private var rejection: (failure: PostgreSQLFailure, until: ContinuousClock.Instant)?

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
            if let rejection, ContinuousClock.now < rejection.until { throw rejection.failure }
            let deadline = ContinuousClock.now + configuration.connectTime
            var pause = 25
            var first: PostgreSQLFailure?
            while true {
                do throws(PostgreSQLFailure) {
                    let made = try connected(until: deadline)
                    handle = made
                    rejection = nil
                    return made
                } catch {
                    // A wrong password is none the better for being shown again.
                    if case .rejected = error {
                        rejection = (error, ContinuousClock.now + .seconds(1))
                        throw error
                    }
                    // The first reason says more than that the time was over in the middle of the last attempt.
                    first = first ?? error
                    // A server that starts refuses connections for a moment.
                    guard ContinuousClock.now + .milliseconds(pause) < deadline else { throw first ?? error }
                    PostgreSQLSocket.pause(milliseconds: pause)
                    pause = min(pause * 2, 400)
                }
            }
        }

        /// Connects to the first host that takes writes, beginning with the last good one; each has its part of the time, so that
        /// one that drops packets does not use up that of the others.
        private func connected(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> PostgreSQLHandle {
            let hosts = configuration.hosts
            let share = configuration.connectTime / max(1, hosts.count)
            var first: PostgreSQLFailure?
            for offset in hosts.indices {
                let index = (favorite + offset) % hosts.count
                do throws(PostgreSQLFailure) {
                    let end = min(deadline, ContinuousClock.now + share)
                    let made = try PostgreSQLHandle(configuration, at: hosts[index], until: end)
                    favorite = index
                    return made
                } catch {
                    first = first ?? error
                }
            }
            throw first ?? .unreachable("No host is named.")
        }
    }
#endif
