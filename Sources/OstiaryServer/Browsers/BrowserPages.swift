import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// The pages whose requests may use a browser's session: the defence against cross-site request forgery, and CORS.
///
/// Browsers name the page that causes a request: by `Origin` on all requests that are unsafe or cross origins, by
/// `Sec-Fetch-Site` on the rest (Fetch standard, Fetch Metadata Request Headers). A page cannot change either.
///
/// A user may arrive at a page from another site, by a link or by the issuer's redirect after a sign-in, whose whole
/// chain counts as cross-site. Scripts, frames and forms of other sites are rejected, and so are those of another host
/// of the same site.
struct BrowserPages: Sendable {
    private let own: Origin
    /// Other origins, as a browser writes them.
    private let others: Set<String>

    init(own: Origin, others: [Origin]) {
        self.own = own
        self.others = Set(others.map(\.description)).subtracting([own.description])
    }

    /// Whether a request comes from one of the pages, is not sent by a page, or leads a user to a page here.
    func admits(_ fields: HTTPFields, method: HTTPRequest.Method) -> Bool {
        let origins = fields[values: .origin]
        let sites = fields[values: .secFetchSite]
        guard origins.count <= 1, sites.count <= 1 else { return false }
        // The referrer policy no-referrer makes the origin of a page's own form null. A sandboxed page is never
        // same-origin.
        if let origin = origins.first, origin != "null" || sites.first != "same-origin" {
            return isOwn(origin) || others.contains(origin)
        }
        return switch sites.first {
        case "same-origin": true
        // Without `Origin`, an unsafe request is not known to be from a page of this service.
        case "none", nil: method.isSafe
        default: method == .get && fields[.secFetchMode] == "navigate" && fields[.secFetchDest] == "document"
        }
    }

    private func isOwn(_ origin: String) -> Bool { origin.utf8.elementsEqual(own.description.utf8) }

    /// The fields that let a page of another origin read a response. (Fetch standard, section 3.3)
    func sharing(_ fields: HTTPFields) -> HTTPFields {
        guard !others.isEmpty else { return [:] }
        var sharing: HTTPFields = [.vary: "Origin"]
        if let origin = fields[.origin], others.contains(origin) {
            sharing[.accessControlAllowOrigin] = origin
            sharing[.accessControlAllowCredentials] = "true"
            sharing[.accessControlExposeHeaders] = "ETag, Retry-After, X-Request-Id"
        }
        return sharing
    }

    /// The response to a CORS preflight request.
    func preflight(_ fields: HTTPFields, methods: [HTTPRequest.Method]) -> ServerResponse {
        var sharing = sharing(fields)
        guard sharing[.accessControlAllowOrigin] != nil else {
            return ServerResponse(status: .forbidden, fields: sharing, reason: RefusalReason("browser_origin"))
        }
        sharing[.accessControlExposeHeaders] = nil
        sharing[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
        sharing[.accessControlAllowHeaders] =
            "Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since"
        sharing[.accessControlMaxAge] = "600"
        return ServerResponse(status: .noContent, fields: sharing)
    }

    /// Whether an absolute URL leads to one of the pages.
    func leads(to parts: URIParts) -> Bool {
        guard parts.authority?.userInfo == nil, let host = parts.authority?.host,
            let origin = try? Origin("\(parts.scheme)://\(host)" + (parts.authority?.port.map { ":\($0)" } ?? ""))
        else { return false }
        return origin == own || others.contains(origin.description)
    }
}

extension HTTPRequest.Method {
    /// Whether a request only reads. (RFC 9110 section 9.2.1)
    var isSafe: Bool { [.get, .head, .options].contains(self) }
}

extension HTTPFields {
    /// The same fields, and others.
    func adding(_ others: HTTPFields) -> HTTPFields {
        var all = self
        for field in others { all.append(field) }
        return all
    }
}
