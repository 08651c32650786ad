#if PostgreSQL
    import NIOCore
    import NIOPosix
    import NIOSSL
    import OstiaryOAuth
    import PostgresNIO

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The settings of one link, in the terms of NIO and PostgresNIO.
    struct NIOLinkSettings: Sendable {
        private let configuration: PostgreSQLConfiguration
        private let path: PostgreSQLPath
        private let password: Secret?
        private let security: PostgresConnection.Configuration.TLS

        /// - Throws: `unreachable` when the authorities cannot be read.
        init(
            _ configuration: PostgreSQLConfiguration,
            _ path: PostgreSQLPath,
            password: Secret?
        ) throws(PostgreSQLFailure) {
            self.configuration = configuration
            self.path = path
            self.password = password
            security = try Self.security(configuration, path)
        }

        /// Connects a channel, whose socket detects a host that is gone after a minute.
        func channel(on loop: any EventLoop, within time: TimeAmount) -> EventLoopFuture<any Channel> {
            // The link has a time limit of its own, which is the one that is reported.
            let bootstrap = ClientBootstrap(group: loop).connectTimeout(time + .seconds(1))
            guard let address = path.address else {
                return bootstrap.connect(unixDomainSocketPath: "\(path.host)/.s.PGSQL.\(configuration.port)")
            }
            let live = Self.keepAlive.reduce(bootstrap.channelOption(.socketOption(.so_keepalive), value: 1)) {
                $0.channelOption(.tcpOption(NIOBSDSocket.Option(rawValue: $1.0)), value: $1.1)
            }
            // This initializer rejects an address with a scope (fe80::1%eth0).
            guard let socket = try? SocketAddress(ipAddress: address, port: configuration.port) else {
                return live.connect(host: address, port: configuration.port)
            }
            return live.connect(to: socket)
        }

        private static var keepAlive: [(CInt, SocketOptionValue)] {
            #if canImport(Darwin)
                [(TCP_KEEPALIVE, 30), (TCP_KEEPINTVL, 10), (TCP_KEEPCNT, 3)]
            #else
                [(TCP_KEEPIDLE, 30), (TCP_KEEPINTVL, 10), (TCP_KEEPCNT, 3)]
            #endif
        }

        func connection(over channel: any Channel) -> PostgresConnection.Configuration {
            var settings = PostgresConnection.Configuration(
                establishedChannel: channel,
                tls: security,
                username: configuration.user,
                password: password?.reveal(),
                database: configuration.database
            )
            settings.options.connectTimeout = TimeAmount(configuration.connectTime) + .seconds(1)
            // SNI takes names only; NIOSSL compares an address with the certificate without it.
            settings.options.tlsServerName = path.host == path.address ? nil : path.host
            // Some poolers leave out the key that cancels a statement, which is not used here.
            settings.options.requireBackendKeyData = false
            settings.options.additionalStartupParameters = configuration.startupParameters
            return settings
        }

        private static func security(
            _ configuration: PostgreSQLConfiguration,
            _ path: PostgreSQLPath
        ) throws(PostgreSQLFailure) -> PostgresConnection.Configuration.TLS {
            // There is no TLS on the socket of this machine.
            guard path.address != nil, configuration.security != .none else { return .disable }
            var settings = TLSConfiguration.makeClientConfiguration()
            settings.minimumTLSVersion = .tlsv12
            settings.shutdownTimeout = .seconds(1)
            do {
                if case .verified(let file) = configuration.security {
                    settings.trustRoots = .certificates(try certificates(in: file))
                } else {
                    settings.certificateVerification = .none
                }
                return .require(try NIOSSLContext(configuration: settings))
            } catch let failure as PostgreSQLFailure {
                throw failure
            } catch {
                throw .unreachable("TLS cannot be set up: \(error).")
            }
        }

        private static func certificates(in file: String) throws(PostgreSQLFailure) -> [NIOSSLCertificate] {
            do { return try NIOSSLCertificate.fromPEMFile(file) } catch {
                throw .unreachable("The file \(file) with the certificate authorities cannot be read.")
            }
        }
    }
#endif
