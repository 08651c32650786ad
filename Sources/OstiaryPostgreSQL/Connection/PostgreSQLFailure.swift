#if PostgreSQL
    /// Why the database did not do what it was asked to.
    ///
    /// It names statements by what they are for, and holds neither a value of one nor what the server says of values.
    public enum PostgreSQLFailure: Error, Sendable, Hashable {
        /// No connection became free in time: there are more requests than the database can serve.
        case busy
        /// No connection could be made in time; the reason is libpq's, for whoever runs the service.
        case unreachable(String)
        /// The server turned this program away with an SQLSTATE: a wrong password (`28P01`), or no such database (`3D000`). It is
        /// asked again after a second.
        case rejected(String, state: String)
        /// The connection broke while a statement was under way: it may or may not have been carried out.
        case connectionLost(during: String)
        /// A statement took longer than it may, and was given up; a transaction that it was part of is undone.
        case timedOut(String)
        /// The server refused a statement with an SQLSTATE, such as `42P01` (PostgreSQL, appendix A).
        case refused(String, state: String)
        /// The answer is not of the form that the statement has: the schema is another one.
        case unexpectedAnswer(to: String)
        /// The schema is newer than this program, which has to be updated first.
        case newerSchema(found: Int, known: Int)
        /// The store was closed.
        case closed

        /// Whether the same may work in a moment: the database restarts, or is busy.
        public var isTransient: Bool {
            switch self {
            case .busy, .unreachable, .connectionLost, .timedOut: true
            // Operator intervention, resources, and transactions that lost against another one.
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
        /// What went wrong, for a log.
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
