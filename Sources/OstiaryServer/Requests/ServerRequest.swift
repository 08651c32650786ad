public import HTTPTypes
import OstiaryOAuth

/// A request to a backend, independent of the server framework.
public struct ServerRequest: Sendable, Hashable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The path as received, with the query if there is one; nothing in it is decoded.
    public var target: String
    /// The header fields.
    public var fields: HTTPFields
    /// The body, within the endpoint's limit.
    public var body: [UInt8]
    /// The client certificate that the TLS connection has proven; `nil` for none.
    public var certificate: ClientCertificate?
    /// The client's address or another identifier for rate limits; `nil` if unknown.
    public var sender: String?

    /// Makes a request.
    public init(
        method: HTTPRequest.Method = .get,
        target: String = "/",
        fields: HTTPFields = [:],
        body: [UInt8] = [],
        certificate: ClientCertificate? = nil,
        sender: String? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.certificate = certificate
        self.sender = sender
    }

    /// The path without the query.
    public var path: String { String(Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })) }

    /// The media type without parameters, in lower case; `nil` for none and for two fields.
    var mediaType: String? {
        let values = fields[values: .contentType]
        guard values.count == 1 else { return nil }
        return values[0].bareMediaType
    }
}

extension ServerRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path: queries, fields and bodies are secret.
    public var description: String { "\(method.rawValue) \(path)" }
    /// The method and the path.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
