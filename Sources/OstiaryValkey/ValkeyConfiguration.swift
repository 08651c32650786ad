#if Valkey
    public import OstiaryOAuth

    /// The address of a Valkey or Redis server, the protection of its connections, and the time limit.
    public struct ValkeyConfiguration: Sendable {
        /// The protection of a connection.
        public enum TransportSecurity: Sendable, Hashable {
            /// No protection: for a Unix socket, and for a network that is protected otherwise.
            case none
            /// Encrypted, with a certificate for the host's name that one of the authorities in the PEM file signed.
            ///
            /// Debian keeps the public authorities in `/etc/ssl/certs/ca-certificates.crt`.
            case verified(certificateAuthorities: String)
        }

        /// The host's name or address, or the path of a Unix socket, which begins with `/`.
        public var host: String
        /// The port.
        ///
        /// Default: 6379.
        public var port: Int
        /// The user; `nil` for the server's `default` user.
        public var user: String?
        /// The password; `nil` when the server requires none.
        public var password: Secret?
        /// The protection of the connections.
        public var security: TransportSecurity

        /// The largest number of connections, at least 1.
        ///
        /// Default: 10. Each serves one call at a time.
        public var connections = 10
        /// The time limit of a call, with the wait for a connection.
        ///
        /// Default: two seconds.
        public var timeLimit: Duration = .seconds(2)
        /// The beginning of the names of all entries, which keeps two services on one server apart.
        ///
        /// Default: `ostiary:`.
        public var keyPrefix = "ostiary:"

        /// Describes a server.
        ///
        /// - Parameters:
        ///   - host: The host's name or address, or the path of a Unix socket.
        ///   - port: Default: 6379.
        ///   - user: Default: the server's `default` user.
        ///   - password: Default: none.
        ///   - security: The protection of the connections.
        /// - Throws: `configuration` at stage `storage`, with a sentence that names the fix.
        public init(
            host: String,
            port: Int = 6379,
            user: String? = nil,
            password: Secret? = nil,
            security: TransportSecurity
        ) throws(SignInError) {
            func wrong(_ sentence: String) -> SignInError { SignInError(.storage, .configuration(sentence)) }
            guard (1...65_535).contains(port) else { throw wrong("A port is 1 to 65535; found \(port).") }
            guard !host.isEmpty, !host.utf8.contains(0) else { throw wrong("Give the host's name or address.") }
            guard !host.contains("://"), !host.contains(",") else {
                throw wrong("Give the name of one host alone, without scheme, port or password.")
            }
            guard user == nil || password != nil else {
                throw wrong("A user needs a password: give one, or leave the user out.")
            }
            self.host = host
            self.port = port
            self.user = user
            self.password = password
            self.security = security
        }
    }
#endif
