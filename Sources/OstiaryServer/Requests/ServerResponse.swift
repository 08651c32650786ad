public import HTTPTypes
public import OstiaryJOSE

/// A backend's response, independent of the server framework.
public struct ServerResponse: Sendable, Hashable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields.
    public var fields: HTTPFields
    /// The body.
    public var body: [UInt8]
    /// The reason that the request was not served, for the log.
    ///
    /// It is not sent. `nil` when the request was served, or the endpoint gives no reason.
    public var reason: RefusalReason?

    /// Makes a response.
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

    /// The same response, with the reason that the request was not served.
    public func because(_ reason: RefusalReason) -> ServerResponse {
        var response = self
        response.reason = reason
        return response
    }

    /// A response in JSON that must not be stored.
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
    /// The status and the size; the body may contain user data.
    public var description: String { "\(status.code), \(body.count) bytes" }
    /// The status and the size.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
