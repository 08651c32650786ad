#if PostgreSQL
    import CPostgreSQL

    /// A connection of libpq.
    ///
    /// Each call waits on the calling thread, and never beyond its deadline. The handle belongs to one
    /// ``PostgreSQLConnection``, which has a thread to wait on.
    final class PostgreSQLHandle {
        private let connection: OpaquePointer
        private var statementTime: Duration
        private let preparesStatements: Bool
        private var prepared: Set<String> = []
        private var isBroken = false

        /// Connects to one host.
        ///
        /// - Parameters:
        ///   - configuration: The database, and the limits.
        ///   - host: The name that the server's certificate has to have, or the folder of a socket.
        ///   - address: The numeric address; libpq would wait for a name server without a limit. `nil` for a socket.
        ///   - deadline: The time by which the connection has to be ready.
        /// - Throws: `unreachable` or `rejected` with libpq's reason.
        init(
            _ configuration: PostgreSQLConfiguration,
            at host: String,
            address: String?,
            until deadline: ContinuousClock.Instant
        ) throws(PostgreSQLFailure) {
            guard let connection = Self.started(configuration, host, address) else {
                throw .unreachable("There is no memory.")
            }
            do throws(PostgreSQLFailure) {
                // Lets the reason of a refusal begin with its SQLSTATE.
                PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
                // Without this libpq prints the server's notices to standard error.
                PQsetNoticeProcessor(connection, { _, _ in }, nil)
                try Self.finishConnecting(connection, configuration, until: deadline)
                guard PQsetnonblocking(connection, 1) == 0 else { throw .unreachable("It cannot be used unblocked.") }
            } catch {
                PQfinish(connection)
                throw error
            }
            self.connection = connection
            statementTime = configuration.statementTime
            preparesStatements = !configuration.isTransactionPooler
        }

        deinit { PQfinish(connection) }

        /// Whether it can be used again: it is not broken, has no open transaction, and has nothing to read.
        var isUsable: Bool {
            !isBroken && PQstatus(connection) == CONNECTION_OK && PQtransactionStatus(connection) == PQTRANS_IDLE
                && !PostgreSQLSocket.isReadable(PQsocket(connection))
        }

        /// Carries out a statement, which is prepared the first time unless the next one may be sent to another server.
        @discardableResult
        func execute(_ statement: PostgreSQLStatement, _ values: [PostgreSQLValue] = [])
            throws(PostgreSQLFailure) -> PostgreSQLResult
        {
            let deadline = self.deadline
            guard preparesStatements else {
                return try answer(to: statement.name, until: deadline) {
                    Self.send(statement.text, isName: false, values, on: connection)
                }
            }
            if !prepared.contains(statement.name) {
                _ = try answer(to: statement.name, until: deadline) {
                    PQsendPrepare(connection, statement.name, statement.text, 0, nil)
                }
                prepared.insert(statement.name)
            }
            return try answer(to: statement.name, until: deadline) {
                Self.send(statement.name, isName: true, values, on: connection)
            }
        }

        /// Carries out a text without parameters, which may be several statements.
        ///
        /// - Parameters:
        ///   - name: The purpose of the text.
        ///   - script: The statements; they never contain a value.
        func execute(_ name: StaticString, script: StaticString) throws(PostgreSQLFailure) {
            _ = try answer(to: "\(name)", until: deadline) { PQsendQuery(connection, "\(script)") }
        }

        /// Runs a body as one transaction, in full or not at all.
        func transaction<Value>(_ body: () throws(PostgreSQLFailure) -> Value) throws(PostgreSQLFailure) -> Value {
            try execute("begin", script: "BEGIN")
            do throws(PostgreSQLFailure) {
                let value = try body()
                try execute("commit", script: "COMMIT")
                return value
            } catch {
                // A connection that cannot roll back is not used again, and the server then rolls back.
                if !isBroken { try? execute("roll back", script: "ROLLBACK") }
                throw error
            }
        }

        /// Runs a body whose statements may take up to 60 seconds each, in a transaction of its own.
        func patientTransaction<Value>(
            _ body: () throws(PostgreSQLFailure) -> Value
        ) throws(PostgreSQLFailure) -> Value {
            let usual = statementTime
            statementTime = .seconds(60)
            defer { statementTime = usual }
            return try transaction { () throws(PostgreSQLFailure) in
                try execute(
                    "be patient",
                    script: "SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '60s'"
                )
                return try body()
            }
        }

        /// A second more than the server's own timeout, which is the better one: it ends the statement at the server.
        private var deadline: ContinuousClock.Instant { .now + statementTime + .seconds(1) }
    }

    extension PostgreSQLHandle {
        private static func started(
            _ configuration: PostgreSQLConfiguration,
            _ host: String,
            _ address: String?
        ) -> OpaquePointer? {
            let parameters = configuration.libraryParameters(host: host, address: address)
            return withCStrings(parameters.map(\.0)) { names in
                withCStrings(parameters.map(\.1)) { values in PQconnectStartParams(names, values, 0) }
            }
        }

        private static func finishConnecting(
            _ connection: OpaquePointer,
            _ configuration: PostgreSQLConfiguration,
            until deadline: ContinuousClock.Instant
        ) throws(PostgreSQLFailure) {
            func failure(_ reason: String) -> PostgreSQLFailure {
                var text = reason
                if let password = configuration.password?.reveal(), !password.isEmpty {
                    text = reason.split(separator: password).joined(separator: "…")
                }
                guard let state = state(in: text), ["28", "3D"].contains(where: { state.hasPrefix($0) }) else {
                    return .unreachable(text)
                }
                return .rejected(text, state: state)
            }
            var events = PostgreSQLSocket.Events.writable
            while PQstatus(connection) != CONNECTION_BAD {
                guard PostgreSQLSocket.wait(PQsocket(connection), for: events, until: deadline) != nil else {
                    throw .unreachable("It took too long.")
                }
                switch PQconnectPoll(connection) {
                case PGRES_POLLING_OK: return
                case PGRES_POLLING_READING: events = .readable
                case PGRES_POLLING_WRITING: events = .writable
                default: throw failure(message(of: connection))
                }
            }
            throw failure(message(of: connection))
        }

        /// Returns libpq's error message for a connection, on one line; before a statement is sent it contains no
        /// value.
        private static func message(of connection: OpaquePointer) -> String {
            guard let text = PQerrorMessage(connection) else { return "" }
            // The last line is a place in the server's source.
            return String(cString: text).split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
                .joined(separator: " ")
        }

        /// Returns the SQLSTATE in a reason of the server: a word of five letters and digits with a colon behind it.
        private static func state(in reason: String) -> String? {
            reason.split(separator: " ").first { word in
                word.utf8.count == 6 && word.utf8.last == UInt8(ascii: ":")
                    && word.utf8.dropLast().allSatisfy {
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    }
                    && word.utf8.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
            .map { String($0.dropLast()) }
        }

        /// Sends the name of a prepared statement or the text of another one, with its values.
        private static func send(
            _ statement: String,
            isName: Bool,
            _ values: [PostgreSQLValue],
            on connection: OpaquePointer
        ) -> Int32 {
            let encoded = values.map(\.encoded)
            // One block of memory for all values; an empty value still needs an address, since a null address means
            // NULL.
            let block = Array(encoded.compactMap(\.self).joined()) + [0]
            return block.withUnsafeBytes { memory in
                let base = memory.bindMemory(to: CChar.self)
                var offset = 0
                var addresses: [UnsafePointer<CChar>?] = []
                for value in encoded {
                    addresses.append(value == nil ? nil : base.baseAddress.map { $0 + offset })
                    offset += value?.count ?? 0
                }
                let lengths = encoded.map { Int32($0?.count ?? 0) }
                let formats = encoded.map { _ in Int32(1) }
                let count = Int32(values.count)
                return isName
                    ? PQsendQueryPrepared(connection, statement, count, addresses, lengths, formats, 1)
                    : PQsendQueryParams(connection, statement, count, nil, addresses, lengths, formats, 1)
            }
        }

        /// Sends a request, and waits for the whole response.
        private func answer(
            to name: String,
            until deadline: ContinuousClock.Instant,
            sending send: () -> Int32
        ) throws(PostgreSQLFailure) -> PostgreSQLResult {
            guard !isBroken, send() == 1 else { throw broken(.connectionLost(during: name)) }
            while true {
                let status = PQflush(connection)
                guard status >= 0 else { throw broken(.connectionLost(during: name)) }
                guard status == 1 else { break }
                try receive(name, .init([.readable, .writable]), until: deadline)
            }
            var answer = PostgreSQLResult.empty
            var refusal: PostgreSQLFailure?
            while true {
                while PQisBusy(connection) == 1 { try receive(name, .readable, until: deadline) }
                guard let result = PQgetResult(connection) else { break }
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answer = PostgreSQLResult(copying: result, of: name)
                default: refusal = refusal ?? Self.refusal(result, of: name)
                }
            }
            guard PQstatus(connection) == CONNECTION_OK else { throw broken(.connectionLost(during: name)) }
            if let refusal {
                // A server that refuses writes has become a standby; a plan that no longer fits is discarded with its
                // connection.
                if case .refused(_, "25006") = refusal { throw broken(refusal) }
                if case .refused(_, "0A000") = refusal { throw broken(refusal) }
                throw refusal
            }
            return answer
        }

        private func receive(
            _ name: String,
            _ events: PostgreSQLSocket.Events,
            until deadline: ContinuousClock.Instant
        ) throws(PostgreSQLFailure) {
            guard let happened = PostgreSQLSocket.wait(PQsocket(connection), for: events, until: deadline) else {
                throw broken(.timedOut(name))
            }
            if happened.contains(.readable), PQconsumeInput(connection) != 1 {
                throw broken(.connectionLost(during: name))
            }
        }

        private func broken(_ failure: PostgreSQLFailure) -> PostgreSQLFailure {
            isBroken = true
            return failure
        }

        private static func refusal(_ result: OpaquePointer, of name: String) -> PostgreSQLFailure {
            let state = PQresultErrorField(result, sqlStateField).map { String(cString: $0) } ?? ""
            // statement_timeout cancels a statement, and lock_timeout reports a lock that was not available in time.
            return ["57014", "55P03"].contains(state) ? .timedOut(name) : .refused(name, state: state)
        }

        /// `PG_DIAG_SQLSTATE`.
        private static let sqlStateField = Int32(UInt8(ascii: "C"))
    }

    /// Calls a function with C strings and a null pointer behind the last one; the copies are wiped afterwards.
    private func withCStrings<Value>(
        _ strings: [String],
        _ body: ([UnsafePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = strings.map { string in
            let bytes = Array(string.utf8CString)
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
            _ = copy.initialize(from: bytes)
            return copy
        }
        defer {
            for copy in copies {
                copy.update(repeating: 0)
                copy.deallocate()
            }
        }
        return body(copies.map { UnsafePointer($0.baseAddress) } + [nil])
    }
#endif
