import HTTPTypes
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The request that follows a redirect (RFC 9110 section 15.4).
struct RedirectedRequest {
    /// The largest number of redirects that are followed.
    static let maximumCount = 5

    /// The request to send next.
    let request: EndpointRequest

    /// - Returns: `nil` for a response that is not a redirect, or has no location.
    /// - Throws: `redirectRefused` for one to a URL that the request must not be sent to.
    init?(_ response: EndpointResponse, to request: EndpointRequest) throws(SignInError) {
        guard [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.fields[.location]
        else { return nil }
        let refused = SignInError(.resource, .transport(.redirectRefused))
        guard location.utf8.count <= 8_192,
            let url = URL(string: location, relativeTo: request.url)?.absoluteURL,
            let from = Origin(request.url), let to = Origin(url)
        else { throw refused }
        var next = request
        next.url = url
        let keepsMethod = [307, 308].contains(response.status.code) || [.get, .head].contains(request.method)
        if !keepsMethod {
            next.method = .get
            next.form = Parameters()
            next.content = nil
            next.fields[.contentType] = nil
        }
        if to != from {
            // The other server must not receive this server's fields, nor may a remote redirect reach into this
            // machine.
            guard next.body == nil, from.isLoopback || !to.isLoopback else { throw refused }
            next.fields = next.fields.filter { Self.harmless.contains($0.name) }
        }
        self.request = next
    }

    private static let harmless: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]
}

extension HTTPFields {
    fileprivate func filter(_ isKept: (HTTPField) -> Bool) -> HTTPFields {
        var kept = HTTPFields()
        for field in self where isKept(field) { kept.append(field) }
        return kept
    }
}
