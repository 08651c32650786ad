#if PostgreSQL
    /// A connection of a pool, opened when it is first needed, and opened again after it broke.
    actor PostgreSQLConnection {
        private let thread = ConnectionThread()
        private let configuration: PostgreSQLConfiguration
        private let names: NameLookup
        private var handle: PostgreSQLHandle?
        /// The index of the host that the last connection was made to.
        private var favorite = 0
        /// The reason that the server rejected this program, and the time until which it is not tried again.
        private var rejection: (failure: PostgreSQLFailure, until: ContinuousClock.Instant)?

        init(_ configuration: PostgreSQLConfiguration, names: NameLookup = NameLookup()) {
            self.configuration = configuration
            self.names = names
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        /// Runs a body with the connection, from its beginning to its end on the connection's own thread.
        func perform<Value: Sendable>(
            _ body: @Sendable (PostgreSQLHandle) throws(PostgreSQLFailure) -> Value
        ) throws(PostgreSQLFailure) -> Value {
            try body(try usableHandle())
        }

        func close() { handle = nil }

        private func usableHandle() throws(PostgreSQLFailure) -> PostgreSQLHandle {
            // An idle connection with input to read has ended, for example because the server was restarted.
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
                    // Presenting a wrong password again does not make it right.
                    if case .rejected = error {
                        rejection = (error, ContinuousClock.now + .seconds(1))
                        throw error
                    }
                    // The first reason says more than the timeout in the middle of the last attempt.
                    first = first ?? error
                    // A server that is starting refuses connections for a moment.
                    guard ContinuousClock.now + .milliseconds(pause) < deadline else { throw first ?? error }
                    PostgreSQLSocket.pause(milliseconds: pause)
                    pause = min(pause * 2, 400)
                }
            }
        }

        /// Connects to the first host that accepts writes, beginning with the last one that did.
        ///
        /// Each host has a share of the time, so that a host that drops packets does not use up the time of the others.
        private func connected(until deadline: ContinuousClock.Instant) throws(PostgreSQLFailure) -> PostgreSQLHandle {
            let hosts = configuration.hosts
            let share = configuration.connectTime / max(1, hosts.count)
            var first: PostgreSQLFailure?
            for offset in hosts.indices {
                let index = (favorite + offset) % hosts.count
                do throws(PostgreSQLFailure) {
                    let end = min(deadline, ContinuousClock.now + share)
                    let made = try connected(to: hosts[index], until: end)
                    favorite = index
                    return made
                } catch {
                    first = first ?? error
                }
            }
            throw first ?? .unreachable("No host is named.")
        }

        /// Connects to the first address of a host that can be reached; each has a share of the time that is left.
        private func connected(
            to host: String,
            until deadline: ContinuousClock.Instant
        ) throws(PostgreSQLFailure) -> PostgreSQLHandle {
            guard !host.hasPrefix("/") else {
                return try PostgreSQLHandle(configuration, at: host, address: nil, until: deadline)
            }
            let addresses = try names.addresses(of: host, until: deadline)
            var first: PostgreSQLFailure?
            for (index, address) in addresses.enumerated() {
                do throws(PostgreSQLFailure) {
                    let now = ContinuousClock.now
                    let end = now + now.duration(to: deadline) / (addresses.count - index)
                    return try PostgreSQLHandle(configuration, at: host, address: address, until: end)
                } catch {
                    // A server that has answered counts for all addresses of its name.
                    if case .rejected = error { throw error }
                    first = first ?? error
                }
            }
            throw first ?? .unreachable("The name \(host) has no address.")
        }
    }
#endif
