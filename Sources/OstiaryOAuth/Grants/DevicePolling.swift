#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// When a device asks next whether its person has answered, as a value (RFC 8628 section 3.5).
public struct DevicePolling: Sendable, Hashable {
    /// What to do after an answer.
    public enum Step: Sendable, Hashable {
        /// Ask again after this many seconds.
        case wait(Double)
        /// Stop: nothing will come any more.
        case stop(SignInError)
    }

    /// How long to wait between two requests, in seconds; it only ever grows.
    public private(set) var interval: Double
    private let expiry: Date

    /// Starts when the codes have come.
    ///
    /// - Parameters:
    ///   - pending: The codes.
    ///   - now: When they came.
    public init(_ pending: PendingDeviceAuthorization, now: Date) {
        // A server that names no pause gets none shorter than a second all the same.
        interval = min(max(pending.interval, 1), Self.longestInterval)
        expiry = now.addingTimeInterval(pending.lifetime)
    }

    /// What to do after a request that brought no tokens.
    public mutating func step(after error: SignInError, now: Date) -> Step {
        var pause = interval
        switch error.reason {
        case .refused(let refusal) where refusal.code == .authorizationPending: break
        case .refused(let refusal) where refusal.code == .slowDown:
            interval = min(max(interval + 5, refusal.interval ?? 0), Self.longestInterval)
            pause = interval
        case .server(let status) where status >= 500 || status == 429:
            interval = min(interval * 2, Self.longestInterval)
            pause = interval
        case .transport(let failure) where failure.mayPass:
            interval = min(interval * 2, Self.longestInterval)
            pause = interval
        default: return .stop(error)
        }
        if let asked = error.retryAfter { pause = max(pause, asked) }
        guard now.addingTimeInterval(pause) < expiry else {
            return .stop(SignInError(.device, .refused(OAuthError(code: .expiredToken))))
        }
        return .wait(pause)
    }

    private static let longestInterval = 120.0
}

extension TransportFailure {
    /// Whether the next request may get through.
    fileprivate var mayPass: Bool {
        switch self {
        case .unreachable, .unknownHost, .interrupted, .timedOut: true
        case .tls, .tooLarge, .redirectRefused, .insecureURL, .invalidRequest, .notHTTP, .cancelled: false
        }
    }
}
