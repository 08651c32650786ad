import Foundation
import OstiaryOAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportFailure {
    /// Converts an error of a session.
    ///
    /// - Parameters:
    ///   - error: The session's error.
    ///   - isSecure: Whether the URL was https.
    ///   - hasSentBody: Whether a byte of the request's body has left, so that no handshake can have failed. Apple's
    ///     sessions report -1200 for a connection that breaks afterwards as well.
    ///   - hasHead: Whether the head of a response had come.
    init(_ error: any Error, isSecure: Bool, hasSentBody: Bool, hasHead: Bool) {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain else {
            self = .interrupted
            return
        }
        switch URLError.Code(rawValue: error.code) {
        case .timedOut: self = .timedOut
        case .cannotFindHost, .dnsLookupFailed: self = .unknownHost
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            self = .unreachable
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self = hasSentBody || hasHead ? .interrupted : .tls
        case .appTransportSecurityRequiresSecureConnection: self = .insecureURL
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: self = .notHTTP
        case .dataLengthExceedsMaximum: self = .tooLarge
        default:
            self = error.transportFailureOnLinux(isSecure: isSecure, hasHead: hasHead || hasSentBody) ?? .interrupted
        }
    }
}

extension NSError {
    /// FoundationNetworking maps few of libcurl's codes, some of them oddly; the rest is -1 with libcurl's sentence.
    fileprivate func transportFailureOnLinux(isSecure: Bool, hasHead: Bool) -> TransportFailure? {
        #if canImport(FoundationNetworking)
            switch URLError.Code(rawValue: code) {
            case .unsupportedURL: return .notHTTP  // "Received HTTP/0.9 when not allowed"
            case .unknown where isSecure && !hasHead && isOfHandshake: return .tls
            default: return nil
            }
        #else
            return nil
        #endif
    }

    /// Whether libcurl's sentence is of a handshake or a certificate, so that the request cannot have been sent.
    ///
    /// OpenSSL's name is also in sentences of a connection that has carried something, and so is the word certificate:
    /// a server that speaks TLS 1.3 complains of the client's after the handshake.
    private var isOfHandshake: Bool {
        let sentence = localizedDescription.lowercased()
        guard
            !["ssl_read", "ssl_write", "ssl read", "recv error", "recv failure", "send error", "send failure"].contains(
                where: sentence.contains
            )
        else {
            return false
        }
        // OpenSSL's own words stand alone when it is the handshake that failed.
        if sentence.hasPrefix("error:"), sentence.contains("ssl routines") { return true }
        return ["ssl connect error", "ssl_connect", "tls connect error", "handshake", "certificate", "ssl ca cert"]
            .contains(
                where: sentence.contains
            )
    }
}
