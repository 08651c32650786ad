public import HTTPTypes
package import OstiaryJOSE

/// One HTTP response of the provider, as a value; a server writes it to a socket, a test reads it.
public struct ProviderResponse: Sendable {
    /// The content of a body.
    public enum Content: Sendable {
        /// Nothing.
        case none
        /// Octets, such as JSON or a JSON Web Token; the media type is in the fields.
        case bytes([UInt8])
        /// A page for the user, which the server renders.
        case page(Page)
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields, with those that protect the content from caches, frames and sniffing.
    public var fields: HTTPFields
    /// The body.
    public var content: Content

    /// Makes a response.
    public init(status: HTTPResponse.Status, fields: HTTPFields = [:], content: Content = .none) {
        self.status = status
        self.fields = fields
        self.content = content
    }
}

extension ProviderResponse {
    /// JSON that must not be cached: every response that carries a token or an error (RFC 6749 section 5.1).
    package static func json(_ object: JSONObject, status: HTTPResponse.Status = .ok) -> ProviderResponse {
        ProviderResponse(
            status: status,
            fields: [
                .contentType: "application/json",
                .cacheControl: "no-store",
                .pragma: "no-cache",
                .xContentTypeOptions: "nosniff",
            ],
            content: .bytes(object.encoded())
        )
    }

    /// JSON that any page may read and keep for a short while: metadata and keys.
    static func publicJSON(_ object: JSONObject, mediaType: String = "application/json") -> ProviderResponse {
        ProviderResponse(
            status: .ok,
            fields: [
                .contentType: mediaType,
                .cacheControl: "public, max-age=60",
                .accessControlAllowOrigin: "*",
                .xContentTypeOptions: "nosniff",
            ],
            content: .bytes(object.encoded())
        )
    }

    /// A page.
    ///
    /// It runs no script, cannot be framed, and sends no referrer to other sites.
    static func page(_ page: Page, status: HTTPResponse.Status = .ok) -> ProviderResponse {
        ProviderResponse(status: status, fields: .page, content: .page(page))
    }

    /// A page; with a number of seconds, one that the user may send again only after them.
    static func page(_ page: Page, waiting seconds: Double?) -> ProviderResponse {
        guard let seconds else { return .page(page) }
        var response = ProviderResponse.page(page, status: .tooManyRequests)
        response.fields[.retryAfter] = String(Int(seconds.rounded(.up)))
        return response
    }

    /// Sends the browser on with GET, whatever it came with (RFC 9700 section 4.12): a 307 would repeat the password.
    package static func seeOther(_ location: String) -> ProviderResponse {
        ProviderResponse(
            status: .seeOther,
            fields: [
                .location: location, .cacheControl: "no-store", .pragma: "no-cache", .referrerPolicy: "no-referrer",
            ]
        )
    }

    /// Adds cookies.
    func settingCookies(_ cookies: [Cookie]) -> ProviderResponse {
        var response = self
        for cookie in cookies { response.fields.append(HTTPField(name: .setCookie, value: cookie.text)) }
        return response
    }
}

extension HTTPFields {
    /// The fields of every page.
    ///
    /// There is no `form-action`: Chromium applies it to the redirects that follow a form, and the sign-in form ends at
    /// the client's redirect URI, which may have any scheme.
    fileprivate static let page: HTTPFields = [
        .contentType: "text/html; charset=utf-8",
        .cacheControl: "no-store",
        .pragma: "no-cache",
        .contentSecurityPolicy:
            "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
        .referrerPolicy: "no-referrer",
        .xContentTypeOptions: "nosniff",
        .xFrameOptions: "DENY",
    ]
}

extension HTTPField.Name {
    static let pragma = Self("Pragma") ?? .cacheControl
    static let referrerPolicy = Self("Referrer-Policy") ?? .contentSecurityPolicy
    static let xFrameOptions = Self("X-Frame-Options") ?? .contentSecurityPolicy
}

extension ProviderResponse: CustomStringConvertible, CustomReflectable {
    /// The status; never the fields or the content, which may hold secrets.
    public var description: String { "\(status.code)" }
    /// The status.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
