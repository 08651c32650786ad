import HTTPTypes
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An HTTP client that behaves like a browser without scripts: it follows redirects, keeps cookies, and fills in the
/// sign-in form when it is told how.
///
/// It is for tests and for automation with accounts made for it; a person's password belongs in the person's browser. It
/// types the credentials into whatever page the issuer leads to. One value is one browser: what it signs in to in one
/// attempt it is still signed in to in the next.
public struct HTTPUserAgent: UserAgent {
    /// What a sign-in form is filled in with.
    public struct Credentials: Sendable {
        /// The account's name or address.
        public var name: String
        /// The account's password.
        public var password: Secret

        /// Makes credentials.
        public init(name: String, password: Secret) {
            self.name = name
            self.password = password
        }
    }

    /// What a page is answered that asks for consent, or whether to sign out.
    public enum Answer: Sendable {
        /// Yes.
        case approve
        /// No.
        case deny
    }

    private let transport: any HTTPTransport
    private let credentials: Credentials?
    private let answer: Answer
    private let maximumSteps: Int
    private let now: @Sendable () -> Date
    private let cookies = SharedCookies()

    /// Makes a user agent without cookies.
    ///
    /// - Parameters:
    ///   - transport: What carries requests. It returns redirects and keeps no cookies of its own.
    ///   - credentials: What sign-in forms are filled in with; without them a form ends the attempt.
    ///   - answer: What a page is answered that asks for consent.
    ///   - maximumSteps: How many requests one attempt may send. Default 25.
    ///   - now: The time, which cookies expire by. Default: the system's clock.
    public init(
        transport: any HTTPTransport,
        credentials: Credentials? = nil,
        answer: Answer = .approve,
        maximumSteps: Int = 25,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.transport = transport
        self.credentials = credentials
        self.answer = answer
        self.maximumSteps = maximumSteps
        self.now = now
    }

    /// Gets ready for any redirect URI: it is never visited, and a loopback one is used as it is written.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            // It gets one URL, and returns it.
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                try await visit(url, until: redirectURI)
            }
        )
    }

    private func visit(_ url: URL, until redirectURI: RedirectURI) async throws(SignInError) -> URL {
        let filling = FormFilling(credentials: credentials, answer: answer, isEndSession: Self.endsSession(url))
        var request = PageRequest(url: url)
        var submitted: Set<String> = []
        for _ in 0..<maximumSteps {
            if redirectURI.isDestination(of: request.url) {
                guard request.method == .get else {
                    throw SignInError(
                        .authorization,
                        .unsupported("an answer in the redirect's query; it posted a form")
                    )
                }
                return request.url
            }
            let response = try await send(request)
            if let next = try request.following(response) {
                request = next
                continue
            }
            let page = HTMLPage(response.body)
            let isFailure = response.status.code >= 400
            if let login = try filling.login(on: page) {
                guard submitted.insert(login.signature(on: request.url)).inserted else {
                    throw SignInError(.authorization, .refused(Self.wrongCredentials))
                }
                request = try PageRequest(submitting: login, of: request.url)
            } else if isFailure {
                throw SignInError(.authorization, .server(status: response.status.code))
            } else if let refresh = page.refresh, refresh.delay <= 10 {
                request = try PageRequest(refreshing: refresh.target, of: request.url)
            } else {
                request = try PageRequest(submitting: try filling.consent(on: page), of: request.url)
            }
        }
        throw SignInError(.authorization, .malformed("the sign-in pages do not come to an end"))
    }

    private func send(_ request: PageRequest) async throws(SignInError) -> EndpointResponse {
        guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
        guard URIParts(request.url)?.isSecureOrLoopback == true else {
            throw SignInError(.authorization, .transport(.insecureURL))
        }
        do throws(TransportFailure) {
            let cookie = cookies.value.withLock { $0.field(for: request.url, now: now()) }
            let response = try await transport.send(request.endpointRequest(cookie: cookie))
            cookies.value.withLock { $0.take(from: response.fields, of: request.url, now: now()) }
            return response
        } catch .cancelled {
            throw SignInError(.authorization, .cancelled)
        } catch {
            throw SignInError(.authorization, Task.isCancelled ? .cancelled : .transport(error))
        }
    }

    /// Whether a URL asks to sign out (OpenID Connect RP-Initiated Logout section 2): there "sign out" means yes.
    private static func endsSession(_ url: URL) -> Bool {
        guard let parameters = FormURLEncoding.decode(URIParts(url)?.query ?? "") else { return false }
        return parameters[.postLogoutRedirectURI] != nil || parameters[.logoutURI] != nil
            || parameters[.responseType] == nil && parameters[.idTokenHint] != nil
    }

    private static let wrongCredentials = OAuthError(
        code: .accessDenied,
        description: "The sign-in form did not accept the name and password."
    )
}

/// The cookies of one user agent, whichever of its attempts they came in.
private final class SharedCookies: Sendable {
    let value = Lock(CookieJar())
}
