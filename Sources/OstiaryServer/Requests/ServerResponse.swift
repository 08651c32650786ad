public import HTTPTypes
public import OstiaryJOSE

/// What a backend answers, as a value.
public struct ServerResponse: Sendable, Hashable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields.
    public var fields: HTTPFields
    /// The body.
    public var body: [UInt8]
    /// Why the request was not served, for the log.
    ///
    /// It is not sent. `nil` when the request was served, and when nobody says.
    public var reason: RefusalReason?

    /// Makes an answer.
    public init(
        status: HTTPResponse.Status,
        fields: HTTPFields = [:],
        body: [UInt8] = [],
        reason: RefusalReason? = nil
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.reason = reason
    }

    /// The same answer, with why the request was not served.
    public func because(_ reason: RefusalReason) -> ServerResponse {
        var response = self
        response.reason = reason
        return response
    }

    /// An answer in JSON that nobody keeps.
    public static func json(
        _ object: JSONObject,
        status: HTTPResponse.Status = .ok,
        fields: HTTPFields = [:]
    ) -> ServerResponse {
        var fields = fields
        fields[.contentType] = "application/json"
        fields[.cacheControl] = fields[.cacheControl] ?? "no-store"
        return ServerResponse(status: status, fields: fields, body: object.encoded())
    }
}

extension ServerResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size; the body may be about a person.
    public var description: String { "\(status.code), \(body.count) bytes" }
    /// The status and the size.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
