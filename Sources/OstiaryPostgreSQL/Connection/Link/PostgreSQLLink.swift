#if PostgreSQL
    /// An open connection to one host, and all that the store needs of a driver.
    ///
    /// It serves one caller at a time, with one statement after the other. Once it broke, it stays closed.
    protocol PostgreSQLLink: Sendable {
        /// Whether it can be used: it is neither closed nor broken.
        var isOpen: Bool { get }

        /// Carries out a statement.
        ///
        /// - Parameters:
        ///   - statement: The statement.
        ///   - values: Its parameters in their order.
        ///   - time: The time limit, longer than the server's own one, which is the better one: it ends the statement at
        ///     the server. The link closes when this one is exceeded.
        /// - Returns: The rows; `nil` if the link had closed before anything was sent, so that the statement was
        ///   certainly not carried out.
        /// - Throws: `timedOut`, `refused`, or `connectionLost` when the statement may or may not have been carried out.
        func execute(
            _ statement: PostgreSQLStatement,
            _ values: [PostgreSQLValue],
            within time: Duration
        ) async throws(PostgreSQLFailure) -> [PostgreSQLRow]?

        /// Closes it, and returns when it is closed.
        func close() async
    }

    /// One way to a host.
    struct PostgreSQLPath: Sendable, Hashable {
        /// The name that the server's certificate has to have, or the folder of a socket.
        let host: String
        /// The numeric address; `nil` for a socket.
        let address: String?
        /// The time by which the link has to be ready.
        let deadline: ContinuousClock.Instant
    }

    /// Opens a link to a server that accepts writes; throws `unreachable`, or `rejected` with the server's reason.
    typealias PostgreSQLConnect =
        @Sendable (PostgreSQLConfiguration, PostgreSQLPath) async throws(PostgreSQLFailure) -> any PostgreSQLLink
#endif
