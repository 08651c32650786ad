#if PostgreSQL
    /// The reason that the database did not carry out a request.
    ///
    /// It names statements by their purpose, and contains neither a value of a statement nor the server's words about
    /// one.
    public enum PostgreSQLFailure: Error, Sendable, Hashable {
        /// No connection became free in time: there are more requests than the database can serve.
        case busy
        /// No connection could be opened in time; the reason is for the operator of the service.
        case unreachable(String)
        /// The server rejected this program with an SQLSTATE: a wrong password (`28P01`), or an unknown database
        /// (`3D000`).
        ///
        /// The next attempt is made after a second.
        case rejected(String, state: String)
        /// The connection broke during a statement, which may or may not have been carried out.
        case connectionLost(during: String)
        /// A statement exceeded its time limit and was cancelled; a transaction around it is rolled back.
        case timedOut(String)
        /// The server refused a statement with an SQLSTATE, such as `42P01` (PostgreSQL, appendix A).
        case refused(String, state: String)
        /// The result does not have the columns of the statement: the schema is another one.
        case unexpectedAnswer(to: String)
        /// The schema is newer than this program, which has to be updated first.
        case newerSchema(found: Int, known: Int)
        /// The store was closed.
        case closed

        /// Whether the same request may succeed in a moment: the database is restarting, or busy.
        public var isTransient: Bool {
            switch self {
            case .busy, .unreachable, .connectionLost, .timedOut: true
            // Operator intervention, insufficient resources, and transactions that lost to another one.
            case .refused(_, let state): ["57", "53", "40"].contains { state.hasPrefix($0) }
            case .rejected, .unexpectedAnswer, .newerSchema, .closed: false
            }
        }
    }

    extension PostgreSQLFailure {
        /// The failure as one of a few words, for metrics.
        public var name: String {
            switch self {
            case .busy: "busy"
            case .unreachable: "unreachable"
            case .rejected: "rejected"
            case .connectionLost: "connection_lost"
            case .timedOut: "timed_out"
            case .refused(_, let state): "refused_\(state)"
            case .unexpectedAnswer: "unexpected_answer"
            case .newerSchema: "newer_schema"
            case .closed: "closed"
            }
        }
    }

    extension PostgreSQLFailure: CustomStringConvertible {
        /// The failure as a sentence, for a log.
        public var description: String {
            switch self {
            case .busy: "No connection to PostgreSQL became free in time."
            case .unreachable(let reason): "PostgreSQL cannot be reached: \(reason)"
            case .rejected(let reason, let state):
                "PostgreSQL turned this program away (SQLSTATE \(state)): \(reason). Compare user, password and database with the server's."
            case .connectionLost(let statement): "The connection to PostgreSQL broke during: \(statement)."
            case .timedOut(let statement): "PostgreSQL took too long for: \(statement)."
            case .refused(let statement, let state): "PostgreSQL refused with SQLSTATE \(state): \(statement)."
            case .unexpectedAnswer(let statement): "PostgreSQL answered unexpectedly to: \(statement)."
            case .newerSchema(let found, let known):
                "The database has schema \(found), and this program knows \(known): update the program first."
            case .closed: "The store is closed."
            }
        }
    }
#endif
