public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One HTTP request to an endpoint, as a value; sending it is an ``HTTPTransport``'s work.
public struct EndpointRequest: Sendable, Hashable {
    /// The URL of the endpoint.
    public var url: URL
    /// The method; default GET.
    public var method: HTTPRequest.Method
    /// Header fields besides those that follow from the body.
    public var fields: HTTPFields
    /// A form to send; empty sends none.
    public var form: Parameters
    /// A body that is not a form, with its media type.
    public var content: Content?
    /// The maximum size of the response and duration of the exchange.
    public var limits: Limits
    /// Whether a transport may send the request once more when the connection that it was sent on proves to be closed,
    /// and no head of a response has come.
    ///
    /// Default: whether the method is idempotent (RFC 9110 section 9.2.2).
    public var mayBeRepeated: Bool {
        get { repetition ?? [.get, .head, .put, .delete, .options, .trace].contains(method) }
        set { repetition = newValue }
    }
    private var repetition: Bool?
    /// The server's role, when the request carries a proof of possession.
    var serverRole: DPoPNonces.Role?
    /// The issuer that receives the request's attestation; `nil` without one.
    var attestedFor: Issuer?

    /// A body and its media type.
    public struct Content: Sendable, Hashable {
        /// The media type, such as `application/json`.
        public var mediaType: String
        /// The octets.
        public var bytes: [UInt8]
        /// Makes a body.
        public init(mediaType: String, bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    /// The limits that a transport enforces.
    public struct Limits: Sendable, Hashable {
        /// The largest response body in bytes, after content decoding; the transport stops reading there.
        public var maximumBodyBytes: Int
        /// The time limit from the first byte sent to the last byte read.
        public var deadline: Duration
        /// Makes limits.
        ///
        /// Default: 256 KiB and 15 seconds.
        public init(maximumBodyBytes: Int = 262_144, deadline: Duration = .seconds(15)) {
            self.maximumBodyBytes = maximumBodyBytes
            self.deadline = deadline
        }
    }

    /// Makes a request.
    public init(
        url: URL,
        method: HTTPRequest.Method = .get,
        fields: HTTPFields = [:],
        form: Parameters = Parameters(),
        content: Content? = nil,
        limits: Limits = Limits()
    ) {
        self.url = url
        self.method = method
        self.fields = fields
        self.form = form
        self.content = content
        self.limits = limits
    }

    /// The octets to send, if any.
    public var body: [UInt8]? {
        form.pairs.isEmpty ? content?.bytes : Array(FormURLEncoding.encode(form).utf8)
    }

    /// Every header field to send, with the body's media type.
    public var allFields: HTTPFields {
        var all = fields
        if !form.pairs.isEmpty {
            all[.contentType] = "application/x-www-form-urlencoded"
        } else if let content {
            all[.contentType] = content.mediaType
        }
        return all
    }
}

extension EndpointRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the URL without its query.
    public var description: String { "\(method.rawValue) \(url.withoutQuery)" }
    /// The method and the URL without its query.
    public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}

extension URL {
    /// The URL up to its query, which may hold confidential values.
    package var withoutQuery: String { String(absoluteString.prefix { $0 != "?" && $0 != "#" }) }
}
