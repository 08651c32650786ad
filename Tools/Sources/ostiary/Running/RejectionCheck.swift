import Foundation
import HTTPTypes
import Ostiary
import OstiaryOAuth
import Synchronization

/// A user agent that reports an issuer that rejects the authorization request, while it waits for the redirect.
///
/// An issuer that does not know the client or its redirect URI shows an error page and redirects nowhere (RFC 6749
/// section 4.1.2.1). Only the browser has that page, so that no answer would come before the time-out. A pushed request
/// (RFC 9126) needs no such check: its rejection reaches the command.
struct RejectionReporter: UserAgent {
    let next: any UserAgent
    let console: Console

    /// The browser of a user who is signed in at the issuer is back by then, and the check is not sent.
    private static let delay: Duration = .seconds(3)

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await next.attempt(awaiting: redirectURI)
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                let check = Task { await report(url) }
                defer { check.cancel() }
                return try await attempt.open(url, accepting: predicate)
            },
            abandon: { await attempt.abandon() }
        )
    }

    private func report(_ url: URL) async {
        guard let check = RejectionCheck(of: url) else { return }
        do { try await Task.sleep(for: Self.delay) } catch { return }
        guard let rejection = await check.rejection(), !Task.isCancelled else { return }
        RejectionCheck.seen = rejection
        console.note(rejection.printable)
        let advice = CommandWords.registrationAdvice(afterErrorPage: false).map { " " + $0 } ?? ""
        let step = "If the browser shows this as well, stop with Ctrl-C: no answer can come." + advice
        console.note(step.printable)
    }
}

/// The authorization request once more, without the user's cookies and with `prompt=none`.
///
/// That value lets the issuer show no page to the user (OpenID Connect Core section 3.1.2.1): it redirects with an
/// error when it accepts the request, and answers with its error page when it does not.
struct RejectionCheck {
    /// The request.
    let url: URL

    private static let last = Mutex<String?>(nil)
    /// The statuses that a server before the issuer may send, about this program and not about the request.
    private static let ofGateways: Set<Int> = [401, 403, 407, 429]

    /// The sentence about the rejection that was reported last; `nil` for none.
    static var seen: String? {
        get { last.withLock { $0 } }
        set { last.withLock { $0 = newValue } }
    }

    /// Makes the request.
    ///
    /// - Returns: `nil` for a page other than an authorization request, and for a pushed request, whose reference may be
    ///   valid once.
    init?(of url: URL) {
        let parts = url.absoluteString.split(separator: "?", maxSplits: 1)
        let pairs = parts.count == 2 ? parts[1].split(separator: "&") : []
        func has(_ name: String) -> Bool { pairs.contains { $0.hasPrefix(name + "=") } }
        guard has("response_type"), has("client_id"), !has("request_uri") else { return nil }
        // The check is not about this user.
        let kept = pairs.filter { pair in
            !["prompt=", "login_hint=", "id_token_hint="].contains { pair.hasPrefix($0) }
        }
        guard let url = URL(string: parts[0] + "?" + (kept + ["prompt=none"]).joined(separator: "&")) else {
            return nil
        }
        self.url = url
    }

    /// Sends the request.
    ///
    /// - Returns: A sentence with the status and the words of the issuer's page; `nil` when the issuer does not reject
    ///   the request, or does not answer.
    func rejection() async -> String? {
        let request = EndpointRequest(url: url, fields: [.accept: "text/html"])
        guard let response = try? await sideTransport.send(request) else { return nil }
        return Self.rejection(in: response)
    }

    /// Reads the answer: a redirect and a page with another status reject nothing.
    ///
    /// Nor do 401, 403, 407 and 429: a proxy or a firewall sends these to a program, while it lets the browser through.
    static func rejection(in response: EndpointResponse) -> String? {
        guard (400..<500).contains(response.status.code), !Self.ofGateways.contains(response.status.code) else {
            return nil
        }
        let page = response.errorPage.map { ": \($0)" } ?? "."
        return "The issuer answers this sign-in request with status \(response.status.code)\(page)"
    }
}
