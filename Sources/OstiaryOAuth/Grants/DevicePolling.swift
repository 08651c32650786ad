import OstiaryCompatibility

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension PendingDeviceAuthorization {
    /// The schedule of a device's token requests while it waits for the user, as a value (RFC 8628 section 3.5).
    public struct Polling: Sendable, Hashable {
        /// The step after a response.
        public enum Step: Sendable, Hashable {
            /// Repeat the request after this time.
            case wait(Duration)
            /// Stop: no tokens will be issued.
            case stop(SignInError)
        }

        /// The interval between two requests; it never shrinks.
        public private(set) var interval: Duration
        private let expiry: Date

        /// Starts when the codes have come.
        ///
        /// - Parameters:
        ///   - pending: The codes.
        ///   - now: When they came.
        public init(_ pending: PendingDeviceAuthorization, now: Date) {
            // The interval is at least a second, even if the server names none.
            interval = min(max(pending.interval, .seconds(1)), Self.longestInterval)
            expiry = now.addingTimeInterval(pending.lifetime.inSeconds)
        }

        /// Returns the step after a request that returned no tokens.
        public mutating func step(after error: SignInError, now: Date) -> Step {
            var pause = interval
            switch error.reason {
            case .refused(let refusal) where refusal.code == .authorizationPending: break
            case .refused(let refusal) where refusal.code == .slowDown:
                interval = min(max(interval + .seconds(5), refusal.interval ?? .zero), Self.longestInterval)
                pause = interval
            case .server where error.isOfBusyServer:
                interval = min(interval * 2, Self.longestInterval)
                pause = interval
            case .transport(let failure) where failure.isOfConnection:
                interval = min(interval * 2, Self.longestInterval)
                pause = interval
            default: return .stop(error)
            }
            if let asked = error.retryAfter { pause = max(pause, asked) }
            guard now.addingTimeInterval(pause.inSeconds) < expiry else {
                return .stop(SignInError(.device, .refused(OAuthError(code: .expiredToken))))
            }
            return .wait(pause)
        }

        private static let longestInterval = Duration.seconds(120)
    }
}

extension TransportFailure {
    /// Whether a connection failed: the next request may get through (RFC 8628 section 3.5).
    fileprivate var isOfConnection: Bool {
        switch self {
        case .unreachable, .unknownHost, .interrupted, .timedOut: true
        case .tls, .tooLarge, .redirectRefused, .insecureURL, .invalidRequest, .notHTTP, .cancelled: false
        }
    }
}
