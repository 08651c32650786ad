#if PostgreSQL
    /// A connection of a pool, opened when it is first needed, and opened again after it broke.
    actor PostgreSQLConnection {
        private let configuration: PostgreSQLConfiguration
        private let names: NameLookup
        private let connect: PostgreSQLConnect
        private var link: (any PostgreSQLLink)?
        /// Whether the present caller has sent a statement, which ties it to the link.
        private var hasBegun = false
        private var statementTime: Duration
        /// The index of the host that the last connection was made to.
        private var favorite = 0
        /// The reason that the server rejected this program, and the time until which it is not tried again.
        private var rejection: (failure: PostgreSQLFailure, until: ContinuousClock.Instant)?

        init(
            _ configuration: PostgreSQLConfiguration,
            names: NameLookup = NameLookup(),
            connect: @escaping PostgreSQLConnect = NIOLink.connect
        ) {
            self.configuration = configuration
            self.names = names
            self.connect = connect
            statementTime = configuration.statementTime
        }

        /// Runs the body of one caller with the connection.
        func perform<Value: Sendable>(
            _ body: @Sendable (PostgreSQLConnection) async throws(PostgreSQLFailure) -> Value
        ) async throws(PostgreSQLFailure) -> Value {
            hasBegun = false
            _ = try await usableLink()
            return try await body(self)
        }

        /// Carries out a statement, which is prepared the first time unless the next one may be sent to another server.
        @discardableResult
        func execute(
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue] = []
        ) async throws(PostgreSQLFailure) -> [PostgreSQLRow] {
            let time = statementTime + .seconds(1)
            if !hasBegun {
                let link = try await usableLink()
                if let rows = try await begun(link, statement, values, within: time) { return rows }
                // The link ended while it was idle, for example because the server was restarted.
                hasBegun = false
                if let rows = try await begun(try await usableLink(), statement, values, within: time) { return rows }
            } else if let link, let rows = try await link.execute(statement, values, within: time) {
                return rows
            }
            throw .connectionLost(during: statement.name)
        }

        private func begun(
            _ link: any PostgreSQLLink,
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue],
            within time: Duration
        ) async throws(PostgreSQLFailure) -> [PostgreSQLRow]? {
            hasBegun = true
            return try await link.execute(statement, values, within: time)
        }

        /// Runs a body as one transaction, in full or not at all.
        func transaction<Value: Sendable>(
            _ body: @Sendable () async throws(PostgreSQLFailure) -> Value
        ) async throws(PostgreSQLFailure) -> Value {
            try await execute(.begin)
            do throws(PostgreSQLFailure) {
                let value = try await body()
                try await execute(.commit)
                return value
            } catch {
                do throws(PostgreSQLFailure) {
                    if link?.isOpen == true { try await execute(.rollBack) }
                } catch {
                    // The server rolls back when the connection ends.
                    await close()
                }
                throw error
            }
        }

        /// Runs a body whose statements may take up to 60 seconds each, and the time between them, in a transaction.
        func patientTransaction<Value: Sendable>(
            _ body: @Sendable () async throws(PostgreSQLFailure) -> Value
        ) async throws(PostgreSQLFailure) -> Value {
            statementTime = .seconds(60)
            defer { statementTime = configuration.statementTime }
            return try await transaction { () async throws(PostgreSQLFailure) in
                try await self.execute(.bePatient)
                return try await body()
            }
        }

        func close() async {
            let closed = link
            link = nil
            await closed?.close()
        }
    }

    // Opening.
    extension PostgreSQLConnection {
        private func usableLink() async throws(PostgreSQLFailure) -> any PostgreSQLLink {
            if let link, link.isOpen { return link }
            link = nil
            if let rejection, ContinuousClock.now < rejection.until { throw rejection.failure }
            let deadline = ContinuousClock.now + configuration.connectTime
            var pause = 25
            var first: PostgreSQLFailure?
            while true {
                do throws(PostgreSQLFailure) {
                    let made = try await connected(until: deadline)
                    link = made
                    rejection = nil
                    return made
                } catch {
                    // Presenting a wrong password again does not make it right.
                    if case .rejected = error {
                        rejection = (error, ContinuousClock.now + .seconds(1))
                        throw error
                    }
                    // The first reason says more than the timeout in the middle of the last attempt.
                    let reason = first ?? error
                    first = reason
                    // A server that is starting refuses connections for a moment.
                    guard ContinuousClock.now + .milliseconds(pause) < deadline else { throw reason }
                    do { try await Task.sleep(for: .milliseconds(pause)) } catch { throw reason }
                    pause = min(pause * 2, 400)
                }
            }
        }

        /// Connects to the first host that accepts writes, beginning with the last one that did.
        ///
        /// Each host has a share of the time, so that a host that drops packets does not use up the time of the others.
        private func connected(
            until deadline: ContinuousClock.Instant
        ) async throws(PostgreSQLFailure) -> any PostgreSQLLink {
            let hosts = configuration.hosts
            let share = configuration.connectTime / max(1, hosts.count)
            var first: PostgreSQLFailure?
            for offset in hosts.indices {
                let index = (favorite + offset) % hosts.count
                do throws(PostgreSQLFailure) {
                    let end = min(deadline, ContinuousClock.now + share)
                    let made = try await connected(to: hosts[index], until: end)
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
        ) async throws(PostgreSQLFailure) -> any PostgreSQLLink {
            guard !host.hasPrefix("/") else {
                return try await connect(configuration, PostgreSQLPath(host: host, address: nil, deadline: deadline))
            }
            let addresses = try await names.addresses(of: host, until: deadline)
            var first: PostgreSQLFailure?
            for (index, address) in addresses.enumerated() {
                do throws(PostgreSQLFailure) {
                    let now = ContinuousClock.now
                    let end = now + now.duration(to: deadline) / (addresses.count - index)
                    return try await connect(
                        configuration,
                        PostgreSQLPath(host: host, address: address, deadline: end)
                    )
                } catch {
                    // A server that has answered counts for all addresses of its name.
                    if case .rejected = error { throw error }
                    first = first ?? error
                }
            }
            throw first ?? .unreachable("The name \(host) has no address.")
        }
    }

    extension PostgreSQLStatement {
        fileprivate static let begin = PostgreSQLStatement("begin", "BEGIN", isPrepared: false)
        fileprivate static let commit = PostgreSQLStatement("commit", "COMMIT", isPrepared: false)
        fileprivate static let rollBack = PostgreSQLStatement("roll back", "ROLLBACK", isPrepared: false)
        fileprivate static let bePatient = PostgreSQLStatement(
            "be patient",
            """
            SELECT set_config('statement_timeout', '60s', true), set_config('lock_timeout', '60s', true),
                   set_config('idle_in_transaction_session_timeout', '60s', true)
            """,
            isPrepared: false
        )
    }
#endif
