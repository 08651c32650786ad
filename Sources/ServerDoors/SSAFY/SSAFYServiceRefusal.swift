import HTTPTypes
public import OstiarySSAFY
import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A refusal of the service: its code, the request id by which its support finds it, and the time to wait.
public struct SSAFYServiceRefusal: Error, Sendable, Hashable {
    /// The status.
    public let status: Int
    /// The service's code; `nil` for a response without a readable one.
    public let code: VerificationErrorCode?
    /// The request id by which support finds the request.
    public let requestID: VerificationRequestID?
    /// The time to wait; `nil` when the service sends none.
    public let retryAfter: Duration?

    /// Whether the service reports that it did not use the code, so that it may be sent again: 429, or 503 with an
    /// error code or a Retry-After of the service's own.
    ///
    /// A bare 503 may be of a proxy whose connection broke after the service had redeemed the code.
    var isOfAnUntouchedCode: Bool { status == 429 || (status == 503 && (code != nil || retryAfter != nil)) }

    /// Reads `{"error": {"code", "request_id", "message"}}`, `{"error_code", "request_id"}` and `{"error": "code"}`; what does
    /// not match its pattern is left out, and the message is never read.
    init(_ response: EndpointResponse) {
        status = response.status.code
        retryAfter = response.retryAfter
        let object = (try? response.jsonObject(at: .token)) ?? JSONObject()
        let error = object["error"]
        let members = error?.object ?? object
        code = (members["code"]?.string ?? members["error_code"]?.string ?? error?.string)
            .flatMap(VerificationErrorCode.init)
        requestID = members["request_id"]?.string.flatMap(VerificationRequestID.init)
    }
}
