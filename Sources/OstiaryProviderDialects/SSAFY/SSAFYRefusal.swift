import HTTPTypes
import OstiaryJOSE
import OstiaryProvider

/// A code of the service.
enum SSAFYCode: String, Sendable {
    case cancelled = "VERIFY_CANCELLED"
    case consentDenied = "CONSENT_DENIED"
    case invalidRequest = "INVALID_REQUEST"
    case tokenInvalid = "VERIFY_TOKEN_INVALID"
    case tokenFailed = "VERIFY_TOKEN_FAILED"
    case forbidden = "VERIFY_REQUEST_FORBIDDEN"
    case rateLimited = "VERIFY_RATE_LIMITED"
    case memberNotFound = "MEMBER_NOT_FOUND"
    case profileNotFound = "PROFILE_NOT_FOUND"
    case notificationNotFound = "NOTIFICATION_NOT_FOUND"
    case conflict = "IDEMPOTENCY_CONFLICT"
    case unknownPath = "NOT_FOUND"

    /// The service's message, for logs.
    var message: String {
        switch self {
        case .cancelled: "The verification was cancelled."
        case .consentDenied: "The user did not allow it."
        case .invalidRequest: "The request is wrong."
        case .tokenInvalid: "The code is unknown, used, too old, or not for this request."
        case .tokenFailed: "The token could not be made."
        case .forbidden: "The client is unknown or did not authenticate."
        case .rateLimited: "There were too many requests."
        case .memberNotFound: "The user is not a member."
        case .profileNotFound: "No user has this account."
        case .notificationNotFound: "There is no such message of this client."
        case .conflict: "Another message was sent with this idempotency key."
        case .unknownPath: "There is nothing at this path."
        }
    }
}

/// The reason there is no verification token.
struct SSAFYRefusal: Error {
    var code: SSAFYCode
    /// Seconds until the next try.
    var retryAfter: Int?

    init(_ code: SSAFYCode, retryAfter: Int? = nil) {
        self.code = code
        self.retryAfter = retryAfter
    }

    /// The service's form: an object where OAuth has a string.
    func response(requestID: String) -> ProviderResponse { response(["error": error(requestID)]) }

    /// The form of the server API.
    func enveloped(requestID: String) -> ProviderResponse { response(["ok": false, "error": error(requestID)]) }

    private func error(_ requestID: String) -> JSONValue {
        ["code": .string(code.rawValue), "request_id": .string(requestID), "message": .string(code.message)]
    }

    private func response(_ object: JSONObject) -> ProviderResponse {
        var response = ProviderResponse.json(object, status: status)
        response.fields[.retryAfter] = retryAfter.map(String.init)
        return response
    }

    private var status: HTTPResponse.Status {
        switch code {
        case .cancelled, .consentDenied, .invalidRequest: .badRequest
        case .tokenInvalid: .unauthorized
        case .forbidden: .forbidden
        case .memberNotFound, .profileNotFound, .notificationNotFound, .unknownPath: .notFound
        case .conflict: .conflict
        case .rateLimited: .tooManyRequests
        case .tokenFailed: .badGateway
        }
    }
}
