import HTTPTypes
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The request that a redirect asks for (RFC 9110 section 15.4).
struct RedirectedRequest {
    /// How many are followed.
    static let maximumCount = 5

    /// What to send next.
    let request: EndpointRequest

    /// - Returns: `nil` for a response that is no redirect, or does not say where to.
    /// - Throws: `redirectRefused` for one that leads where nothing may be sent.
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
            // Nobody said that the other server may see what this one was sent, nor that it may reach into this machine.
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
