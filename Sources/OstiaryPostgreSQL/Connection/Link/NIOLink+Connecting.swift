#if PostgreSQL
    import NIOCore
    import NIOPosix
    import NIOSSL
    import OstiaryCompatibility
    import OstiaryOAuth
    import PostgresNIO

    // Added to PostgresNIO: one time limit for everything, keep-alive of the socket, a probe for a server that accepts
    // writes, and the preparation of passwords that are not ASCII.
    extension NIOLink {
        /// Opens a link.
        ///
        /// - Throws: `rejected` with the server's reason; `unreachable` with another one, also when the server refuses
        ///   writes.
        @Sendable
        static func connect(
            _ configuration: PostgreSQLConfiguration,
            _ path: PostgreSQLPath
        ) async throws(PostgreSQLFailure) -> any PostgreSQLLink {
            // A server that stores another hash than SCRAM's has the password as it was written.
            if let prepared = configuration.password.flatMap({ PreparedPassword($0).secret }) {
                do throws(PostgreSQLFailure) {
                    return try await link(configuration, path, password: prepared)
                } catch {
                    guard case .rejected(_, state: "28P01") = error else { throw error }
                }
            }
            return try await link(configuration, path, password: configuration.password)
        }

        private static func link(
            _ configuration: PostgreSQLConfiguration,
            _ path: PostgreSQLPath,
            password: Secret?
        ) async throws(PostgreSQLFailure) -> NIOLink {
            let left = ContinuousClock.now.duration(to: path.deadline)
            guard left > .zero else { throw .unreachable("It took too long.") }
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let settings = try NIOLinkSettings(configuration, path, password: password)
            let opening = Opening(on: loop, within: TimeAmount(left))
            settings.channel(on: loop, within: TimeAmount(left))
                .flatMap { channel in
                    opening.began(channel)
                    return PostgresConnection.connect(
                        on: loop,
                        configuration: settings.connection(over: channel),
                        id: 0,
                        logger: logger
                    )
                }
                .flatMap { probed($0, at: path.host) }
                .whenComplete(opening.ended)
            do {
                return NIOLink(try await opening.result(), preparesStatements: !configuration.isTransactionPooler)
            } catch {
                throw failure(error, at: path.host, configuration)
            }
        }

        /// Fails when the server refuses writes, as each one of a connection would fail that was made to a standby.
        private static func probed(
            _ connection: PostgresConnection,
            at host: String
        ) -> EventLoopFuture<PostgresConnection> {
            let answer: EventLoopFuture<PostgresQueryResult> = connection.query(
                "SHOW transaction_read_only",
                logger: logger
            )
            return answer.flatMapThrowing { (result: PostgresQueryResult) throws -> PostgresConnection in
                let cell = result.rows.first?.first
                guard cell?.bytes.map({ String(buffer: $0) }) == "off" else {
                    throw PostgreSQLFailure.unreachable("\(host) does not accept writes.")
                }
                return connection
            }
            .flatMapErrorThrowing { (error: any Error) throws -> PostgresConnection in
                end(connection)
                throw error
            }
        }

        private static func failure(
            _ error: any Error,
            at host: String,
            _ configuration: PostgreSQLConfiguration
        ) -> PostgreSQLFailure {
            if let failure = error as? PostgreSQLFailure { return failure }
            guard let refusal = ServerRefusal(error) else {
                return .unreachable("\(host): \(sentence(for: error))")
            }
            var text = refusal.message
            if let password = configuration.password?.reveal(), !password.isEmpty {
                text = text.split(separator: password).joined(separator: "…")
            }
            guard ["28", "3D"].contains(where: { refusal.state.hasPrefix($0) }) else {
                return .unreachable("\(host): \(text) (SQLSTATE \(refusal.state))")
            }
            return .rejected("\(host): \(text)", state: refusal.state)
        }

        private static func sentence(for error: any Error) -> String {
            guard let error = error as? PSQLError else {
                return (error as? IOError).map { "\($0)" } ?? "\(type(of: error))"
            }
            let cause = error.underlying
            switch error.code {
            case .sslUnsupported: return "the server does not offer TLS"
            case .authMechanismRequiresPassword: return "the server requires a password, and none is configured"
            case .unsupportedAuthMechanism: return "the server requires another authentication than a password"
            case .saslError: return "the authentication by SCRAM failed: \(cause.map { "\($0)" } ?? "no reason")"
            case .serverClosedConnection, .clientClosedConnection, .uncleanShutdown:
                return "the server closed the connection"
            default: break
            }
            guard let cause else { return "\(error.code)" }
            let text = "\(cause)"
            if (cause as? NIOSSLExtraError) == .failedToValidateHostname {
                return "the server's certificate is for another name"
            }
            if text.contains("CERTIFICATE_VERIFY_FAILED") {
                return "the server's certificate is not signed by one of the given authorities, or is expired"
            }
            return text
        }
    }

    /// A connection that is being opened, until the time is up.
    private final class Opening: Sendable {
        private let promise: EventLoopPromise<PostgresConnection>
        private let state = Lock<(channel: (any Channel)?, isOver: Bool)>((nil, false))

        init(on loop: any EventLoop, within time: TimeAmount) {
            promise = loop.makePromise()
            _ = loop.scheduleTask(in: time) { self.expire() }
        }

        func result() async throws -> PostgresConnection { try await promise.futureResult.get() }

        func began(_ channel: any Channel) {
            let isOver = state.withLock { state in
                state.channel = channel
                return state.isOver
            }
            if isOver { channel.close(promise: nil) }
        }

        @Sendable
        func ended(_ result: Result<PostgresConnection, any Error>) {
            if isFirst { return promise.completeWith(result) }
            if case .success(let connection) = result { NIOLink.end(connection) }
        }

        private func expire() {
            guard isFirst else { return }
            promise.fail(PostgreSQLFailure.unreachable("It took too long."))
            state.withLock { $0.channel }?.close(promise: nil)
        }

        /// Whether nothing has ended the opening yet.
        private var isFirst: Bool {
            state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
        }
    }
#endif
