#if AsyncHTTPClient
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL
    import OstiaryOAuth

    #if canImport(Network)
        import Security
    #endif

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension TransportFailure {
        /// Converts an error of the client.
        ///
        /// `tls`, `unreachable` and `unknownHost` mean that the server has not seen the request, so they are for errors
        /// that prove this. Any other error, such as a stream that an HTTP/2 server resets, is `interrupted`.
        ///
        /// `hasHead` says whether the head of a response had come.
        init(_ error: any Error, hasHead: Bool) {
            switch error {
            case let error as HTTPClientError: self.init(error)
            case let error as NIOConnectionError: self.init(error)
            case let error as HTTPParserError: self = error == .invalidEOFState ? .interrupted : .notHTTP
            case let error as IOError: self = error.isOfConnecting && !hasHead ? .unreachable : .interrupted
            case ChannelError.connectTimeout where !hasHead: self = .unreachable
            case is ChannelError: self = .interrupted
            case is CertificateFault: self = .tls
            #if canImport(Network)
                case is HTTPClient.NWDNSError: self = .unknownHost
                case let error as HTTPClient.NWTLSError: self = error.isOfHandshake && !hasHead ? .tls : .interrupted
                case let error as HTTPClient.NWPOSIXError:
                    self = error.errorCode.isOfConnecting && !hasHead ? .unreachable : .interrupted
            #endif
            case let error as NIOSSLError: self = error.isOfHandshake && !hasHead ? .tls : .interrupted
            case let error as BoringSSLError: self = error.isOfHandshake && !hasHead ? .tls : .interrupted
            case let error as NIOSSLExtraError: self = error.isOfHandshake && !hasHead ? .tls : .interrupted
            default: self = .interrupted
            }
        }

        private init(_ error: HTTPClientError) {
            switch error {
            // A request is sent only once it has a connection.
            case .connectTimeout, .getConnectionFromPoolTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout:
                self = .unreachable
            case .readTimeout, .writeTimeout, .deadlineExceeded: self = .timedOut
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
        /// Whether it is an error of connecting; unlike a name, an address causes no NIOConnectionError.
        fileprivate var isOfConnecting: Bool {
            switch POSIXErrorCode(rawValue: errnoCode) {
            case .ENETDOWN, .EHOSTDOWN: true
            case let code?: code.isOfConnecting
            case nil: false
            }
        }
    }

    extension POSIXErrorCode {
        /// Whether it is an error of connecting, in any network stack.
        ///
        /// Apple's also reports ENETDOWN for a connection that has carried data.
        fileprivate var isOfConnecting: Bool {
            switch self {
            case .ECONNREFUSED, .ENETUNREACH, .EHOSTUNREACH, .EADDRNOTAVAIL: true
            default: false
            }
        }
    }

    extension NIOSSLError {
        /// Whether it ends a connection that has carried nothing but a handshake.
        fileprivate var isOfHandshake: Bool {
            switch self {
            case .handshakeFailed, .noCertificateToValidate, .unableToValidateCertificate, .cannotMatchULabel,
                .cannotFindPeerIP, .noSuchFilesystemObject, .failedToLoadCertificate, .failedToLoadPrivateKey:
                true
            default: false
            }
        }
    }

    extension BoringSSLError {
        /// Whether it is an error of preparing a handshake.
        ///
        /// A failed handshake comes as `NIOSSLError.handshakeFailed`; an error that comes by itself is one of reading
        /// or writing.
        fileprivate var isOfHandshake: Bool {
            switch self {
            case .invalidSNIName, .failedToSetALPN: true
            default: false
            }
        }
    }

    extension NIOSSLExtraError {
        /// Whether it concerns a name in the handshake, or a key for it.
        fileprivate var isOfHandshake: Bool {
            [
                .failedToValidateHostname, .serverHostnameImpossibleToMatch, .cannotUseIPAddressInSNI,
                .invalidSNIHostname, .unknownPrivateKeyFileType,
            ].contains(self)
        }
    }

    #if canImport(Network)
        extension HTTPClient.NWTLSError {
            /// Whether the two sides did not agree, or the certificate was invalid.
            ///
            /// The other codes also occur on a connection that has carried data.
            fileprivate var isOfHandshake: Bool {
                [
                    errSSLNegotiation, errSSLHandshakeFail, errSSLPeerHandshakeFail, errSSLPeerProtocolVersion,
                    errSSLXCertChainInvalid, errSSLBadCert, errSSLUnknownRootCert, errSSLNoRootCert,
                    errSSLCertExpired, errSSLCertNotYetValid, errSSLHostNameMismatch,
                ].contains(status)
            }
        }
    #endif
#endif
