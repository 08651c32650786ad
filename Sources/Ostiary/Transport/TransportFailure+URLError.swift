import Foundation
import OstiaryOAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportFailure {
    /// Reads what a session reports.
    ///
    /// - Parameters:
    ///   - isSecure: Whether the URL was https.
    ///   - hasHead: Whether the head of an answer had come.
    init(_ error: any Error, isSecure: Bool, hasHead: Bool) {
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
            self = .tls
        case .appTransportSecurityRequiresSecureConnection: self = .insecureURL
        case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: self = .notHTTP
        case .dataLengthExceedsMaximum: self = .tooLarge
        default: self = error.transportFailureOnLinux(isSecure: isSecure, hasHead: hasHead) ?? .interrupted
        }
    }
}

extension NSError {
    /// FoundationNetworking maps few of libcurl's codes, some of them oddly; the rest is -1 with libcurl's sentence.
    fileprivate func transportFailureOnLinux(isSecure: Bool, hasHead: Bool) -> TransportFailure? {
        #if canImport(FoundationNetworking)
            switch URLError.Code(rawValue: code) {
            case .unsupportedURL: return .notHTTP  // "Received HTTP/0.9 when not allowed"
            case .unknown where isSecure && !hasHead && isAboutTLS: return .tls
            default: return nil
            }
        #else
            return nil
        #endif
    }

    private var isAboutTLS: Bool {
        ["SSL", "TLS", "certificate"].contains { localizedDescription.contains($0) }
    }
}
