import HTTPTypes
public import OstiarySSAFY
import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How the service says no: its code, the number by which its support finds the request, and when to come again.
public struct SSAFYServiceRefusal: Error, Sendable, Hashable {
    /// The status.
    public let status: Int
    /// The service's code; `nil` for an answer without one that can be read.
    public let code: VerificationErrorCode?
    /// The number by which support finds the request.
    public let requestID: VerificationRequestID?
    /// How long to wait, in seconds; `nil` when it does not say.
    public let retryAfter: Double?

    /// Whether the service says that it did nothing with the code, and may be asked again with it: 429, or 503 in words of its
    /// own.
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
