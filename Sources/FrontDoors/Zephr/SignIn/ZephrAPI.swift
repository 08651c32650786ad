import HTTPTypes
import Ostiary
import OstiaryCompatibility

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The calls of a site's Public API, each a request and the reading of its response.
///
/// A session is sent in the `Cookie` field to the site's own origin. Redirects are not followed, and no URL made here
/// contains a session or a key.
struct ZephrAPI: Sendable {
    let site: ZephrSite
    let transport: any HTTPTransport
    let context: ExchangeContext

    /// A response before its status is interpreted.
    struct Answer: Sendable {
        let response: EndpointResponse
        /// The body, when it is a JSON object.
        let json: JSONObject?

        var status: Int { response.status.code }
        /// Whether the response is an HTML page, as a site sends for the user.
        var isPage: Bool { response.mediaType == "text/html" }
    }

    /// Sends a request.
    func call(
        _ method: HTTPRequest.Method,
        _ url: String,
        json: JSONObject? = nil,
        session: Secret? = nil,
        redirects: ZephrExchange.Redirects = .refused
    ) async throws(ZephrError) -> Answer {
        guard let url = URL(string: url) else { throw ZephrError(.configuration("The site's base URL is not a URL.")) }
        let exchange = ZephrExchange(url: url, method: method, json: json, session: session, redirects: redirects)
        do throws(SignInError) {
            return try await transport.perform(exchange, in: context)
        } catch {
            throw ZephrError(error)
        }
    }

    /// Sends a request about the user of a session, and returns the object in the response.
    func object(
        _ method: HTTPRequest.Method,
        _ url: String,
        json: JSONObject? = nil,
        session: Secret
    ) async throws(ZephrError) -> JSONObject {
        let answer = try await call(method, url, json: json, session: session)
        guard answer.response.status.kind == .successful else { throw answer.failure(.session) }
        guard let object = answer.json else { throw ZephrError(.malformed("it is not a JSON object")) }
        return object
    }
}

/// One request to a site.
struct ZephrExchange: Exchange {
    /// The handling of a redirect.
    enum Redirects: Sendable {
        /// A failure.
        case refused
        /// As the response.
        case read
    }

    let url: URL
    let method: HTTPRequest.Method
    let json: JSONObject?
    let session: Secret?
    let redirects: Redirects

    var stage: SignInError.Stage { .token }
    var readsRedirects: Bool { redirects == .read }

    func request(_ fresh: inout Freshness) throws(SignInError) -> EndpointRequest {
        var fields: HTTPFields = [.accept: "application/json"]
        if let session { fields[.cookie] = "\(SessionCookie.name)=\(session.reveal())" }
        return EndpointRequest(
            url: url,
            method: method,
            fields: fields,
            content: json.map { EndpointRequest.Content(mediaType: "application/json", bytes: $0.encoded()) }
        )
    }

    func output(from response: EndpointResponse) throws(SignInError) -> ZephrAPI.Answer {
        let isJSON = response.mediaType.map { $0 == "application/json" || $0.hasSuffix("+json") } ?? false
        return ZephrAPI.Answer(response: response, json: isJSON ? try? JSONObject(parsing: response.body) : nil)
    }
}

extension ZephrAPI.Answer {
    /// The purpose of the request, which decides the meaning of a status.
    enum Question: Sendable {
        case registration, login, session, logout
    }

    /// The error that a failure status stands for.
    func failure(_ question: Question) -> ZephrError {
        ZephrError(reason(question), retryAfter: response.retryAfter)
    }

    private func reason(_ question: Question) -> ZephrError.Reason {
        switch (status, question) {
        case (401, _) where saysVerificationIsRequired: .emailVerificationRequired
        // A proxy between app and site may respond with a page, which proves nothing about the session.
        case (401, _) where isPage: .server(status: 401)
        case (401, .login): .wrongPassword
        case (401, .session): .sessionExpired
        case (400, .registration), (400, .login), (400, .session): .badRequest
        case (403, .registration): .emailDomainRefused
        case (409, .registration): .userAlreadyExists
        case (404, .login): .userNotFound
        case (404, .session): .notFound
        case (429, _): .rateLimited
        default: .server(status: status)
        }
    }

    /// Whether the page is the site's for a user whose address was never confirmed.
    private var saysVerificationIsRequired: Bool {
        guard isPage, let text = String(utf8: response.body.prefix(65_536)) else { return false }
        return text.contains("<title>Email verification is required</title>")
    }
}
