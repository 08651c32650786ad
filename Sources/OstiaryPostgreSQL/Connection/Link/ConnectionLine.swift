#if PostgreSQL
    /// The connections of a pool, and the callers that wait for one.
    struct ConnectionLine {
        typealias Continuation = CheckedContinuation<PostgreSQLConnection?, Never>

        /// The answer to a request for a connection.
        enum Answer {
            case lent(PostgreSQLConnection)
            /// Wait with this ticket.
            case wait(Int)
            case closed
        }

        private(set) var isClosed = false
        /// Lent from the end, so that few connections are open under a light load.
        private var idle: [PostgreSQLConnection]
        private var waiting: [(ticket: Int, continuation: Continuation)] = []
        /// Tickets whose holder has no answer yet.
        private var open: Set<Int> = []
        /// Tickets whose holder gave up before the wait began.
        private var abandoned: Set<Int> = []
        private var lastTicket = 0

        init(_ connections: [PostgreSQLConnection]) { idle = connections }

        mutating func request() -> Answer {
            guard !isClosed else { return .closed }
            if let connection = idle.popLast() { return .lent(connection) }
            lastTicket += 1
            open.insert(lastTicket)
            return .wait(lastTicket)
        }

        /// Begins to wait.
        ///
        /// - Returns: The answer to resume with at once; `nil` when there is none yet.
        mutating func wait(_ ticket: Int, _ continuation: Continuation) -> Answer? {
            guard abandoned.remove(ticket) == nil, !isClosed else { return .closed }
            if let connection = idle.popLast() { return .lent(connection) }
            waiting.append((ticket, continuation))
            return nil
        }

        /// Ends a wait.
        ///
        /// - Returns: The caller to resume; `nil` when it has not begun to wait.
        mutating func leave(_ ticket: Int) -> Continuation? {
            guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
                // A timer may fire after its caller has gone with an answer.
                if open.contains(ticket) { abandoned.insert(ticket) }
                return nil
            }
            return waiting.remove(at: index).continuation
        }

        /// Discards a ticket whose holder has an answer.
        mutating func forget(_ ticket: Int) {
            open.remove(ticket)
            abandoned.remove(ticket)
        }

        /// The number of unused connections.
        var idleCount: Int { idle.count }
        /// The number of callers that wait.
        var waitingCount: Int { waiting.count }

        /// Whether no ticket is remembered.
        var isEmpty: Bool { open.isEmpty && abandoned.isEmpty && waiting.isEmpty }

        /// Takes a connection back.
        ///
        /// - Returns: The caller that gets it now; `nil` when no caller waits.
        mutating func giveBack(_ connection: PostgreSQLConnection) -> Continuation? {
            guard waiting.isEmpty else { return waiting.removeFirst().continuation }
            if !isClosed { idle.append(connection) }
            return nil
        }

        /// Closes the line.
        ///
        /// - Returns: The callers that waited, and the connections to close.
        mutating func close() -> (waiting: [Continuation], idle: [PostgreSQLConnection]) {
            isClosed = true
            defer { (waiting, idle) = ([], []) }
            return (waiting.map(\.continuation), idle)
        }
    }
#endif
