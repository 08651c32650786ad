import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

/// The response to a polling device, whatever the user decided (RFC 8628 section 3.5).
public enum DevicePollAnswer: Sendable, Hashable {
    /// The user has not decided.
    case pending
    /// The device polls too often: its interval grows by five seconds.
    case slowDown
    /// The user denied the request.
    case denied
    /// The code is too old.
    case expired
    /// The server is busy for some time.
    case unavailable(retryAfter: Duration)

    var response: ProviderResponse {
        switch self {
        case .pending: error(.authorizationPending)
        case .slowDown: error(.slowDown)
        case .denied: error(.accessDenied)
        case .expired: error(.expiredToken)
        case .unavailable(let wait):
            ProviderResponse(
                status: .serviceUnavailable,
                fields: [.retryAfter: String(Int(wait.inSeconds.rounded(.up)))]
            )
        }
    }

    private func error(_ code: OAuthError.Code) -> ProviderResponse {
        .json(["error": .string(code.rawValue)], status: .badRequest)
    }
}
