public import HTTPTypes

/// One HTTP response of an endpoint, as a value.
public struct EndpointResponse: Sendable, Hashable {
    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields.
    public var fields: HTTPFields
    /// The octets of the body.
    public var body: [UInt8]

    /// Makes a response.
    public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The media type without parameters, in lower case; `nil` when none is given.
    public var mediaType: String? {
        fields[.contentType]?.bareMediaType
    }
}

extension String {
    /// The media type of a `Content-Type` field without parameters, in lower case.
    package var bareMediaType: String {
        let type = utf8.prefix { $0 != UInt8(ascii: ";") }.filter {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
        }
        return String(decoding: type, as: UTF8.self).lowercased()
    }
}

extension EndpointResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the size; never the body, which may hold tokens.
    public var description: String { "\(status.code), \(body.count) bytes" }
    /// The status and the size.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
