import HTTPTypes
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request of an ``HTTPUserAgent``, and the next request that its response leads to.
struct PageRequest {
    /// The largest page that is read, in bytes.
    private static let maximumBytes = 1_048_576

    private(set) var url: URL
    private(set) var method = HTTPRequest.Method.get
    private var form = Parameters()
    private var carriesPassword = false
    /// The origin of the page whose form is sent; a server compares it to recognize its own forms.
    private var origin: String?

    /// Visits a page.
    init(url: URL) { self.url = url }

    /// Sends a form of a page.
    init(submitting submission: FormFilling.Submission, of page: URL) throws(SignInError) {
        var target = try Self.resolve(submission.action, at: page)
        guard submission.method == "post" else {
            // A form that is sent by GET replaces the query of its action.
            let text = target.absoluteString.prefix { $0 != "?" && $0 != "#" }
            guard let full = URL(string: "\(text)?\(FormURLEncoding.encode(submission.fields))") else {
                throw Self.wrongURL
            }
            target = full
            self.init(url: target)
            return
        }
        self.init(url: target)
        method = .post
        form = submission.fields
        carriesPassword = submission.carriesPassword
        origin = Self.origin(of: page)
    }

    /// Follows the automatic refresh of a page.
    init(refreshing target: String, of page: URL) throws(SignInError) {
        self.init(url: try Self.resolve(target, at: page))
    }

    /// Returns the request that a redirect leads to (RFC 9110 section 15.4); `nil` for any other response.
    ///
    /// - Throws: `malformed` for a redirect without a target, and for one that would pass a password to another origin.
    func following(_ response: EndpointResponse) throws(SignInError) -> PageRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status.code) else { return nil }
        guard let location = response.fields[.location], !location.isEmpty else {
            throw SignInError(.authorization, .malformed("a redirect without a Location"))
        }
        let target = try Self.resolve(location, at: url)
        guard [307, 308].contains(response.status.code) else { return PageRequest(url: target) }
        var next = self
        next.url = target
        if Self.origin(of: target) != Self.origin(of: url) {
            guard !carriesPassword else {
                throw SignInError(.authorization, .malformed("a redirect would carry the password to another origin"))
            }
            next.origin = next.origin.map { _ in "null" }
        }
        return next
    }

    /// The request to send.
    func endpointRequest(cookie: String?) -> EndpointRequest {
        var fields: HTTPFields = [.accept: "text/html", .userAgent: "Ostiary"]
        if let cookie { fields[.cookie] = cookie }
        if let origin { fields[.origin] = origin }
        return EndpointRequest(
            url: url,
            method: method,
            fields: fields,
            form: form,
            limits: EndpointRequest.Limits(maximumBodyBytes: Self.maximumBytes)
        )
    }

    private static func resolve(_ reference: String, at page: URL) throws(SignInError) -> URL {
        let trimmed = String(reference.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        if trimmed.isEmpty { return page }
        guard let url = URL(string: trimmed, relativeTo: page)?.absoluteURL else { throw wrongURL }
        return url
    }

    private static func origin(of url: URL) -> String {
        guard let parts = URIParts(url), let authority = parts.authority else { return "null" }
        return "\(parts.scheme)://\(authority.host)" + (authority.port.map { $0.isEmpty ? "" : ":\($0)" } ?? "")
    }

    private static let wrongURL = SignInError(.authorization, .malformed("a sign-in page leads to no URL"))
}
