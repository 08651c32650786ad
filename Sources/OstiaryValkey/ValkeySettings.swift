#if Valkey
    import Logging
    import NIOCore
    import NIOSSL
    import Valkey

    /// A configuration in the types of valkey-swift.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    struct ValkeySettings: Sendable {
        private let configuration: ValkeyConfiguration
        /// A log that goes nowhere: failures are reported by this module, in its own words.
        let logger = Logger(label: "ostiary.valkey", factory: { _ in SwiftLogNoOpLogHandler() })

        init(_ configuration: ValkeyConfiguration) { self.configuration = configuration }

        var address: ValkeyServerAddress {
            configuration.host.hasPrefix("/")
                ? .unixDomainSocket(path: configuration.host)
                : .hostname(configuration.host, port: configuration.port)
        }

        /// A client with a pool of connections.
        ///
        /// A pool without any connection refuses calls at once, from half of the time limit on.
        func client() throws -> ValkeyClient {
            var settings = ValkeyClientConfiguration(
                connectionPool: .init(
                    maximumConnectionSoftLimit: max(1, configuration.connections),
                    maximumConnectionHardLimit: max(1, configuration.connections),
                    circuitBreakerTripAfter: configuration.timeLimit / 2
                ),
                commandTimeout: configuration.timeLimit,
                enableClientCapaRedirect: false
            )
            if let password = configuration.password {
                settings.authentication = .init(username: user, password: password.reveal())
            }
            if let tls { settings.tls = try .enable(tls, tlsServerName: serverName) }
            return ValkeyClient(address, configuration: settings, logger: logger)
        }

        /// The settings of a connection by itself.
        func connection() throws -> ValkeyConnectionConfiguration {
            var settings = ValkeyConnectionConfiguration(
                commandTimeout: configuration.timeLimit,
                enableClientCapaRedirect: false
            )
            if let password = configuration.password {
                settings.authentication = .init(username: user, password: password.reveal())
            }
            if let tls { settings.tls = try .enable(NIOSSLContext(configuration: tls), tlsServerName: serverName) }
            return settings
        }

        private var user: String { configuration.user ?? "default" }

        private var tls: TLSConfiguration? {
            guard case .verified(let file) = configuration.security else { return nil }
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(file)
            return tls
        }

        /// The name in the server's certificate; an address is compared without it. (RFC 6066 section 3)
        private var serverName: String? {
            (try? SocketAddress(ipAddress: configuration.host, port: 0)) == nil ? configuration.host : nil
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ValkeyFailure {
        /// The failure of a call, or of a connection.
        init(_ error: any Error, during purpose: String, isConnecting: Bool) {
            if let failure = error as? ValkeyFailure {
                self = failure
                return
            }
            guard let error = error as? ValkeyClientError else {
                self = .unreachable("\(error)")
                return
            }
            if let word = error.word {
                self = isConnecting ? .rejected(word) : .refused(purpose, error: word)
                return
            }
            switch error.errorCode {
            case .connectionCreationCircuitBreakerTripped: self = .unreachable("no connection can be opened")
            case .timeout, .cancelled: self = .timedOut(purpose)
            case .clientIsShutDown: self = .closed
            case .respDecodeError, .respParsingError, .tokenDoesNotExist, .unsolicitedToken:
                self = .unexpectedAnswer(to: purpose)
            default:
                self = isConnecting ? .unreachable("\(error.errorCode)") : .connectionLost(during: purpose)
            }
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    extension ValkeyClientError {
        /// The first word of the server's error; `nil` for an error of another kind.
        var word: String? {
            guard errorCode == .commandError, let message else { return nil }
            let word = message.prefix { $0 != " " }
            let isWord = (1...32).contains(word.utf8.count) && word.utf8.allSatisfy { (65...90).contains($0) }
            return isWord ? String(word) : "ERR"
        }
    }
#endif
