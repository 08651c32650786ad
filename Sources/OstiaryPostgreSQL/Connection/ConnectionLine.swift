#if PostgreSQL
    /// Who has a connection of a pool, and who waits for one.
    struct ConnectionLine {
        typealias Continuation = CheckedContinuation<PostgreSQLConnection?, Never>

        /// What becomes of a wish for a connection.
        enum Answer {
            case lent(PostgreSQLConnection)
            /// Wait with this ticket.
            case wait(Int)
            case closed
        }

        private(set) var isClosed = false
        /// Lent from the end, so that with little to do few connections are open.
        private var idle: [PostgreSQLConnection]
        private var waiting: [(ticket: Int, continuation: Continuation)] = []
        /// Tickets whose holder gave up before the wait began.
        private var abandoned: Set<Int> = []
        private var lastTicket = 0

        init(_ connections: [PostgreSQLConnection]) { idle = connections }

        mutating func request() -> Answer {
            guard !isClosed else { return .closed }
            if let connection = idle.popLast() { return .lent(connection) }
            lastTicket += 1
            return .wait(lastTicket)
        }

        /// Begins to wait.
        ///
        /// - Returns: What there is to resume with at once; `nil` when there is nothing yet.
        mutating func wait(_ ticket: Int, _ continuation: Continuation) -> Answer? {
            guard abandoned.remove(ticket) == nil, !isClosed else { return .closed }
            if let connection = idle.popLast() { return .lent(connection) }
            waiting.append((ticket, continuation))
            return nil
        }

        /// Ends a wait.
        ///
        /// - Returns: Who is to be told.
        mutating func leave(_ ticket: Int) -> Continuation? {
            guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
                abandoned.insert(ticket)
                return nil
            }
            return waiting.remove(at: index).continuation
        }

        /// Ends what is known of a ticket, when its holder has an answer.
        mutating func forget(_ ticket: Int) { abandoned.remove(ticket) }

        /// Takes a connection back.
        ///
        /// - Returns: Who gets it now; `nil` when nobody waits.
        mutating func giveBack(_ connection: PostgreSQLConnection) -> Continuation? {
            guard waiting.isEmpty else { return waiting.removeFirst().continuation }
            if !isClosed { idle.append(connection) }
            return nil
        }

        /// Ends everything.
        ///
        /// - Returns: Who waited, and the connections to close.
        mutating func close() -> (waiting: [Continuation], idle: [PostgreSQLConnection]) {
            isClosed = true
            defer { (waiting, idle) = ([], []) }
            return (waiting.map(\.continuation), idle)
        }
    }
#endif
