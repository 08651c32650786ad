import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// What a device that polls can be told, whatever the person decided (RFC 8628 section 3.5).
public enum DevicePollAnswer: Sendable, Hashable {
    /// The person has not decided.
    case pending
    /// The device asks too often: it waits five seconds more from now on.
    case slowDown
    /// The person did not allow it.
    case denied
    /// The code is too old.
    case expired
    /// The server is busy for some seconds.
    case unavailable(retryAfter: Int)

    var response: ProviderResponse {
        switch self {
        case .pending: error(.authorizationPending)
        case .slowDown: error(.slowDown)
        case .denied: error(.accessDenied)
        case .expired: error(.expiredToken)
        case .unavailable(let seconds):
            ProviderResponse(status: .serviceUnavailable, fields: [.retryAfter: String(seconds)])
        }
    }

    private func error(_ code: OAuthError.Code) -> ProviderResponse {
        .json(["error": .string(code.rawValue)], status: .badRequest)
    }
}
