import HTTPTypes
public import Ostiary
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An HTTP client that behaves like a browser without scripts: it follows redirects, keeps cookies and fills in forms.
///
/// Use it for tests, and for automation with accounts that were made for it; a user's password belongs in the user's
/// browser. It enters the credentials on any page that the issuer leads to. One value is one browser, which stays
/// signed in from one attempt to the next.
public struct HTTPUserAgent: UserAgent {
    /// The credentials for sign-in forms.
    public struct Credentials: Sendable {
        /// The account's name or address.
        public var name: String
        /// The account's password.
        public var password: Secret
        /// Makes the account's next one-time password, for servers that request one; `nil` for an account without.
        public var oneTimePassword: (@Sendable () -> Secret)?

        /// Makes credentials.
        public init(name: String, password: Secret, oneTimePassword: (@Sendable () -> Secret)? = nil) {
            self.name = name
            self.password = password
            self.oneTimePassword = oneTimePassword
        }
    }

    /// The answer to a page that requests consent, or asks whether to sign out.
    public enum Answer: Sendable {
        /// Approves.
        case approve
        /// Denies.
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
    ///   - transport: The HTTP transport used for every request. It must return redirects and keep no cookies of its
    ///     own.
    ///   - credentials: The credentials for sign-in forms; without them a form ends the attempt.
    ///   - answer: The answer to a page that requests consent.
    ///   - maximumSteps: The largest number of requests that one attempt may send. Default 25.
    ///   - clock: The time by which cookies expire. Default: the system's.
    public init(
        transport: any HTTPTransport,
        credentials: Credentials? = nil,
        answer: Answer = .approve,
        maximumSteps: Int = 25,
        clock: DeviceClock = .system
    ) {
        self.transport = transport
        self.credentials = credentials
        self.answer = answer
        self.maximumSteps = maximumSteps
        now = clock.now
    }

    /// Prepares for any redirect URI, which is never visited; a loopback URI is used as it is written.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            // Ignores the predicate: it arrives at one redirect, and returns that.
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
                        .unsupported("a response in the redirect's query; it posted a form")
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
            var login = try filling.oneTimePassword(on: page)
            if login == nil { login = try filling.login(on: page) }
            if let login {
                guard submitted.insert(login.signature(on: request.url)).inserted else {
                    let isOneTime = login.carriesOneTimePassword
                    throw SignInError(
                        .authorization,
                        .refused(isOneTime ? Self.wrongOneTimePassword : Self.wrongCredentials)
                    )
                }
                request = try PageRequest(submitting: login, of: request.url)
            } else if isFailure {
                throw SignInError(.authorization, .server(status: response.status.code))
            } else if let choice = filling.accountChoice(on: page) {
                request = try PageRequest(submitting: choice, of: request.url)
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

    /// Whether a URL requests a sign-out (OpenID Connect RP-Initiated Logout section 2), so that "sign out" approves.
    private static func endsSession(_ url: URL) -> Bool {
        guard let parameters = FormURLEncoding.decode(URIParts(url)?.query ?? "") else { return false }
        return parameters[.postLogoutRedirectURI] != nil || parameters[.logoutURI] != nil
            || parameters[.responseType] == nil && parameters[.idTokenHint] != nil
    }

    private static let wrongCredentials = OAuthError(
        code: .accessDenied,
        description: "The sign-in form did not accept the name and password."
    )
    private static let wrongOneTimePassword = OAuthError(
        code: .accessDenied,
        description: "The sign-in page did not accept the one-time password; each is accepted once."
    )
}

/// The cookies of one user agent, which its attempts share.
private final class SharedCookies: Sendable {
    let value = Lock(CookieJar())
}
