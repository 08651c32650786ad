import HTTPTypes
import OstiarySSAFY
import OstiaryServer

/// A response to the app, in a form that can be stored and repeated.
struct SSAFYAnswer: Error, Sendable, Hashable {
    let status: HTTPResponse.Status
    let body: [UInt8]
    let retryAfter: Int?
    /// Fields of this response alone, which are not stored with it.
    var fields = HTTPFields()
    /// The code of a refusal; `nil` for a result, and for a repeated response.
    let code: VerificationErrorCode?

    /// A verified member.
    init(_ result: VerificationResult) {
        status = .ok
        body = result.body
        retryAfter = nil
        code = nil
    }

    /// A refusal, with a request id by which the partner's support finds it.
    init(
        _ code: VerificationErrorCode,
        status: HTTPResponse.Status? = nil,
        retryAfter: Int? = nil,
        requestID: VerificationRequestID? = nil
    ) {
        let refusal = VerificationRefusal(code: code, requestID: requestID ?? Self.number())
        self.status = status ?? HTTPResponse.Status(code: refusal.status)
        self.retryAfter = retryAfter
        self.code = code
        body = refusal.body
    }

    var response: ServerResponse {
        var fields = fields
        fields[.contentType] = "application/json; charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields[.retryAfter] = retryAfter.map(String.init)
        return ServerResponse(status: status, fields: fields, body: body)
    }

    /// The response in the form that is stored.
    var encoded: [UInt8] {
        var object: JSONObject = [
            "status": .integer(status.code), "body": .string(String(decoding: body, as: UTF8.self)),
        ]
        object["retry_after"] = retryAfter.map { .integer($0) }
        return object.encoded()
    }

    /// Reads what ``encoded`` wrote.
    init?(encoded: [UInt8]) {
        guard let object = try? JSONObject(parsing: encoded), let status = object["status"]?.integer,
            (200...599).contains(status), let body = object["body"]?.string
        else { return nil }
        self.status = HTTPResponse.Status(code: status)
        self.body = Array(body.utf8)
        retryAfter = object["retry_after"]?.integer
        code = nil
    }

    private static func number() -> VerificationRequestID? {
        var random = SystemRandomNumberGenerator()
        return VerificationRequestID(
            rawValue: Base64URL.encode((0..<12).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        )
    }
}
