import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// The pages whose requests may use a browser's session: the defence against cross-site request forgery, and CORS.
///
/// A browser says on each request which page it is from: `Origin` on all that are unsafe or cross origins, `Sec-Fetch-Site` on the
/// rest (Fetch standard, Fetch Metadata Request Headers). A page cannot change either.
struct BrowserPages: Sendable {
    private let own: Origin
    /// Other origins, as a browser writes them.
    private let others: Set<String>

    init(own: Origin, others: [Origin]) {
        self.own = own
        self.others = Set(others.map(\.description)).subtracting([own.description])
    }

    /// Whether a request comes from one of the pages, or is one that no page sends.
    func admits(_ fields: HTTPFields, isSafe: Bool) -> Bool {
        let origins = fields[values: .origin]
        let sites = fields[values: .secFetchSite]
        guard origins.count <= 1, sites.count <= 1 else { return false }
        if let origin = origins.first { return isOwn(origin) || others.contains(origin) }
        return switch sites.first {
        case "same-origin": true
        // Without `Origin`, what is unsafe is of no page that is known.
        case "none", nil: isSafe
        default: false
        }
    }

    /// Whether a request that a gateway asks about may go on: a link from another site may, a form or script of one may not.
    func admitsVisit(_ fields: HTTPFields, isSafe: Bool) -> Bool {
        let origins = fields[values: .origin]
        guard origins.count <= 1, fields[values: .secFetchSite].count <= 1 else { return false }
        if let origin = origins.first { return isOwn(origin) || others.contains(origin) }
        return isSafe || fields[.secFetchSite] == "same-origin"
    }

    private func isOwn(_ origin: String) -> Bool { origin.utf8.elementsEqual(own.description.utf8) }

    /// The fields that let a page of another origin read a response. (Fetch standard, section 3.3)
    func sharing(_ fields: HTTPFields) -> HTTPFields {
        guard !others.isEmpty else { return [:] }
        var sharing: HTTPFields = [.vary: "Origin"]
        if let origin = fields[.origin], others.contains(origin) {
            sharing[.accessControlAllowOrigin] = origin
            sharing[.accessControlAllowCredentials] = "true"
            sharing[.accessControlExposeHeaders] = "Retry-After, X-Request-Id"
        }
        return sharing
    }

    /// The response to a browser that asks before it sends a request across origins.
    func preflight(_ fields: HTTPFields, methods: [HTTPRequest.Method]) -> ServerResponse {
        var sharing = sharing(fields)
        guard sharing[.accessControlAllowOrigin] != nil else {
            return ServerResponse(status: .forbidden, fields: sharing, reason: RefusalReason("browser_origin"))
        }
        sharing[.accessControlExposeHeaders] = nil
        sharing[.accessControlAllowMethods] = methods.map(\.rawValue).joined(separator: ", ")
        sharing[.accessControlAllowHeaders] = "Content-Type, If-Match, If-None-Match"
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
