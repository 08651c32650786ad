import HTTPTypes
import Ostiary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The calls of a site's Public API, each a request and the reading of its answer.
///
/// A session travels in the `Cookie` field to the site's own origin; redirects are not followed, and no URL that is made
/// here has a session or a key in it.
struct ZephrAPI: Sendable {
    let site: ZephrSite
    let transport: any HTTPTransport
    let context: ExchangeContext

    /// What an answer came to, before anybody asks what it means.
    struct Answer: Sendable {
        let response: EndpointResponse
        /// The body, when it is a JSON object.
        let json: JSONObject?

        var status: Int { response.status.code }
        /// Whether it is a page for people, as a site answers when it wants to show something.
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
        guard let url = URL(string: url) else { throw ZephrError(.configuration("The site's base URL is no URL.")) }
        let exchange = ZephrExchange(url: url, method: method, json: json, session: session, redirects: redirects)
        do throws(SignInError) {
            return try await transport.perform(exchange, in: context)
        } catch {
            throw ZephrError(error)
        }
    }

    /// Sends a request about the person of a session, and reads the object that answers it.
    func object(
        _ method: HTTPRequest.Method,
        _ url: String,
        json: JSONObject? = nil,
        session: Secret
    ) async throws(ZephrError) -> JSONObject {
        let answer = try await call(method, url, json: json, session: session)
        guard answer.response.status.kind == .successful else { throw answer.failure(.session) }
        guard let object = answer.json else { throw ZephrError(.malformed("it is no JSON object")) }
        return object
    }
}

/// One request to a site.
struct ZephrExchange: Exchange {
    /// What a redirect is.
    enum Redirects: Sendable {
        /// A failure.
        case refused
        /// The answer.
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
    /// What was asked for, which decides what a status means.
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
        // Whoever stands between app and site may answer with a page; that says nothing about the session.
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

    /// A site's page for somebody whose address was never confirmed.
    private var saysVerificationIsRequired: Bool {
        guard isPage, let text = String(validating: response.body.prefix(65_536), as: UTF8.self) else { return false }
        return text.contains("<title>Email verification is required</title>")
    }
}
