/// The state of a presented refresh token after a refresh without new tokens.
package enum RefreshOutcome: Sendable, Equatable {
    /// The server rejected the refresh token as invalid (RFC 6749 section 5.2).
    case refused
    /// The server has not used the refresh token up: the request never arrived, or it was answered with another error.
    case unused
    /// The server may have used it up.
    case unknown

    package init(_ error: SignInError) {
        if error.endsSession {
            self = .refused
            return
        }
        // The failure came before the token request. An unsent request of a later stage came after it.
        guard [.refresh, .identity, .keys].contains(error.stage), error.stage != .refresh || !error.isUnsent else {
            self = .unused
            return
        }
        switch error.reason {
        case .transport(let failure): self = failure.leavesGrantUnused ? .unused : .unknown
        case .refused(let error): self = error.code == .serverError ? .unknown : .unused
        case .server(let status): self = (400..<500).contains(status) ? .unused : .unknown
        case .configuration, .unsupported, .signInRequired, .storage, .keyLost: self = .unused
        default: self = .unknown
        }
    }
}

extension TransportFailure {
    /// Whether the token endpoint cannot have processed the request.
    fileprivate var leavesGrantUnused: Bool {
        switch self {
        case .unreachable, .unknownHost, .tls, .insecureURL, .invalidRequest: true
        // A token endpoint that processes a request answers it (RFC 6749 section 5): the redirect is of a server before
        // it, such as one that announces maintenance.
        case .redirectRefused: true
        case .interrupted, .timedOut, .tooLarge, .notHTTP, .cancelled: false
        }
    }
}
