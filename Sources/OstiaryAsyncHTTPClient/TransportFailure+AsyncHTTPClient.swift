#if AsyncHTTPClient
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import OstiaryOAuth

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension TransportFailure {
        /// Reads what the client reports.
        ///
        /// - Parameters:
        ///   - isSecure: Whether the URL was https.
        ///   - hasHead: Whether the head of an answer had come.
        init(_ error: any Error, isSecure: Bool, hasHead: Bool) {
            switch error {
            case let error as HTTPClientError: self.init(error)
            case let error as NIOConnectionError: self.init(error)
            case let error as HTTPParserError: self = error == .invalidEOFState ? .interrupted : .notHTTP
            case let error as IOError: self = error.isOfConnecting && !hasHead ? .unreachable : .interrupted
            case is ChannelError: self = .interrupted
            #if canImport(Network)
                case is HTTPClient.NWDNSError: self = .unknownHost
                case is HTTPClient.NWTLSError: self = .tls
                case is HTTPClient.NWPOSIXError: self = hasHead ? .interrupted : .unreachable
            #endif
            // What is left before the head is of the TLS library.
            default: self = isSecure && !hasHead ? .tls : .interrupted
            }
        }

        private init(_ error: HTTPClientError) {
            switch error {
            case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
                .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
                self = .timedOut
            case .tlsHandshakeTimeout: self = .tls
            case .cancelled: self = .cancelled
            case .invalidURL, .emptyHost, .emptyScheme: self = .insecureURL
            case .invalidProxyResponse, .proxyAuthenticationRequired: self = .unreachable
            default: self = .interrupted
            }
        }

        private init(_ error: NIOConnectionError) {
            let hasAddress = !error.connectionErrors.isEmpty || (error.dnsAError == nil && error.dnsAAAAError == nil)
            self = hasAddress ? .unreachable : .unknownHost
        }
    }

    extension IOError {
        /// Whether it is one of making a connection; an address is connected to without a name's NIOConnectionError.
        fileprivate var isOfConnecting: Bool {
            switch POSIXErrorCode(rawValue: errnoCode) {
            case .ECONNREFUSED, .ENETUNREACH, .EHOSTUNREACH, .ENETDOWN, .EHOSTDOWN, .EADDRNOTAVAIL: true
            default: false
            }
        }
    }
#endif
