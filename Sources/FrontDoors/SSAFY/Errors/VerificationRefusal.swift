import Ostiary
import OstiaryJOSE

/// A backend's response to an app whose user it does not verify: `{"ok": false, "errorCode": …, "requestId": …}`.
public struct VerificationRefusal: Sendable, Hashable {
    /// The reason for the refusal.
    public var code: VerificationErrorCode?
    /// The request's identifier, for support.
    public var requestID: VerificationRequestID?

    /// Makes a response.
    public init(code: VerificationErrorCode?, requestID: VerificationRequestID? = nil) {
        self.code = code
        self.requestID = requestID
    }

    /// Reads a response; a member that does not match its pattern is left out.
    ///
    /// - Returns: `nil` for anything but a JSON object whose `ok` is not `true`.
    public init?(parsing body: [UInt8]) {
        let limits = JSONLimits(maximumBytes: 65_536)
        guard let object = try? JSONObject(parsing: body, limits: limits), object["ok"] != true else { return nil }
        code = object["errorCode"]?.string.flatMap(VerificationErrorCode.init)
        requestID = object["requestId"]?.string.flatMap(VerificationRequestID.init)
    }

    /// The body of the backend's response.
    public var body: [UInt8] {
        var object: JSONObject = ["ok": false]
        object["errorCode"] = code.map { .string($0.rawValue) }
        object["requestId"] = requestID.map { .string($0.rawValue) }
        return object.encoded()
    }

    /// The status of the backend's response.
    ///
    /// 500 for a code of another kind, whose status the backend chooses.
    public var status: Int {
        switch code {
        case .invalidRequest, .callbackIssuerMismatch, .redirectURIMismatch: 400
        case .tokenInvalid: 401
        case .requestForbidden: 403
        case .memberNotFound, .profileNotFound: 404
        case .emailLoginRequired, .memberConflict: 409
        case .rateLimited: 429
        case .tokenFailed: 502
        default: 500
        }
    }
}
