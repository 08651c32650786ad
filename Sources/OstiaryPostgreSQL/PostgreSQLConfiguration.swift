#if PostgreSQL
    public import OstiaryOAuth

    /// The address of a PostgreSQL database, the protection of its connections, and the time limits.
    public struct PostgreSQLConfiguration: Sendable {
        /// The protection of a connection. (PostgreSQL, section 34.19)
        public enum TransportSecurity: Sendable, Hashable {
            /// No protection: for a Unix socket, and for a network that is protected otherwise.
            case none
            /// Encrypted, without verifying the server: this stops an eavesdropper, and not an impostor.
            case encryptedWithoutVerification
            /// Encrypted, with a certificate for the host's name that one of the authorities in the file signed.
            ///
            /// Debian keeps the public authorities in `/etc/ssl/certs/ca-certificates.crt`.
            case verified(certificateAuthorities: String)
        }

        /// The host's name or address, or the folder of a Unix socket, which begins with `/`.
        ///
        /// Of several hosts, separated by commas, the one that accepts writes is used.
        public var host: String
        /// The port.
        ///
        /// Default: 5432.
        public var port: Int
        /// The database's name.
        public var database: String
        /// The database user.
        public var user: String
        /// The password; `nil` when the server requires none.
        public var password: Secret?
        /// The protection of the connections.
        public var security: TransportSecurity

        /// The largest number of connections.
        ///
        /// Default: 10. All instances together must stay below the server's `max_connections`.
        public var connections = 10
        /// The time that a request waits for a free connection.
        ///
        /// Default: two seconds.
        public var waitingTime: Duration = .seconds(2)
        /// The time limit for opening a connection.
        ///
        /// It includes the lookup of the host's name and the attempts while a server is starting; the addresses of a name
        /// share it.
        ///
        /// Default: three seconds.
        public var connectTime: Duration = .seconds(3)
        /// The time limit for a statement.
        ///
        /// Default: five seconds.
        public var statementTime: Duration = .seconds(5)
        /// Whether the host is a pooler that gives out server connections by the transaction, such as PgBouncer with
        /// `pool_mode = transaction`; PgBouncer with `pool_mode = session` needs it as well, since it refuses `options`.
        ///
        /// Then nothing is left on a connection between transactions: statements are not prepared, and the server gets no
        /// time limits from here. Set them for the database user:
        /// `ALTER ROLE app SET statement_timeout = '5s'`, and likewise `lock_timeout` and
        /// `idle_in_transaction_session_timeout`.
        ///
        /// Default: `false`.
        public var isTransactionPooler = false
        /// The name under which the server lists this program.
        ///
        /// Default: `ostiary`.
        public var applicationName = "ostiary"

        /// Describes a database.
        ///
        /// - Parameters:
        ///   - host: The host's name or address, or the folder of a Unix socket; or several, separated by commas.
        ///   - port: Default: 5432.
        ///   - database: The database's name.
        ///   - user: The database user.
        ///   - password: Default: none.
        ///   - security: The protection of the connections.
        /// - Throws: `configuration` at stage `storage`, with a sentence that names the fix.
        public init(
            host: String,
            port: Int = 5432,
            database: String,
            user: String,
            password: Secret? = nil,
            security: TransportSecurity
        ) throws(SignInError) {
            func wrong(_ sentence: String) -> SignInError { SignInError(.storage, .configuration(sentence)) }
            guard (1...65_535).contains(port) else { throw wrong("A port is 1 to 65535.") }
            for value in [host, database, user] {
                guard !value.isEmpty, !value.utf8.contains(0) else {
                    throw wrong("Give the database's host, name and user.")
                }
            }
            // A connection string in place of a name would lose its other settings.
            guard !database.contains("="), !database.contains("://") else {
                throw wrong("Give the database's name alone, without other settings.")
            }
            guard host.split(separator: ",", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty }) else {
                throw wrong("Between two commas of the hosts there is none.")
            }
            self.host = host
            self.port = port
            self.database = database
            self.user = user
            self.password = password
            self.security = security
        }
    }

    extension PostgreSQLConfiguration {
        /// The hosts, in the order in which they are tried.
        var hosts: [String] { host.split(separator: ",").map(String.init) }

        /// The settings of each connection at the server. (PostgreSQL, section 53.2.1)
        var startupParameters: [(String, String)] {
            let statement = statementTime.milliseconds
            var parameters = [("application_name", applicationName), ("client_encoding", "UTF8")]
            // PgBouncer refuses connections with options.
            if !isTransactionPooler {
                let options =
                    "-c statement_timeout=\(statement) -c lock_timeout=\(statement)"
                    + " -c idle_in_transaction_session_timeout=\(2 * statement)"
                    + " -c default_transaction_isolation=read\\ committed -c jit=off"
                parameters.append(("options", options))
            }
            return parameters
        }
    }

    extension Duration {
        /// Whole milliseconds, at least one.
        var milliseconds: Int {
            let (seconds, attoseconds) = components
            return max(1, Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        }
    }
#endif
