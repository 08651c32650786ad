import AsyncHTTPClient
import Foundation
import NIOHTTP1
import OstiaryJOSE
import Synchronization

/// Browsers that sign in at a gateway with cookies, such as Apache with mod_auth_openidc, and call the API behind it.
///
/// It is the work of ``Sessions`` as far as a gateway does it: sign-ins, calls by sessions whose tokens expire, eight of
/// them in a row by one session. No proof of a key is made.
struct GatewaySessions: Sendable {
    /// A browser's cookies by name.
    private final class Browser: Sendable {
        let subject: String
        private let cookies = Mutex<[String: String]>([:])

        init(subject: String) { self.subject = subject }

        var field: (String, String) {
            ("cookie", cookies.withLock { $0.map { "\($0)=\($1)" } }.joined(separator: "; "))
        }

        /// Keeps the cookies of a response; one without a value is removed.
        func keep(_ lines: [String]) {
            cookies.withLock { cookies in
                for line in lines {
                    let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
                    if pair.count == 2 { cookies[pair[0]] = pair[1] } else { cookies[pair.first ?? ""] = nil }
                }
            }
        }
    }

    let provider: LoadProvider
    let client: HTTPClient
    /// The URL of the protected resource.
    let url: String
    /// The time for which a browser waits for one response, in seconds.
    let patience: Double
    let figures = Figures("session calls")
    let signIns = Figures("sign-ins")
    private let browsers: [Browser]

    init(_ count: Int, provider: LoadProvider, client: HTTPClient, url: String, patience: Double) {
        self.provider = provider
        self.client = client
        self.url = url
        self.patience = patience
        browsers = (0..<count).map { Browser(subject: "session-\($0)") }
    }

    /// Signs every browser in.
    func begin(atOnce: Int) async {
        signIns.begin()
        await Goal(browsers.count).reach(atOnce: atOnce) { number in
            let began = ContinuousClock.now
            signIns.count(await signIn(browsers[number]))
            signIns.add(ContinuousClock.now - began)
        }
    }

    /// Makes so many calls.
    func run(_ count: Int, atOnce: Int) async {
        figures.begin()
        await Goal(count).reach(atOnce: atOnce) { number in
            let browser = browsers[number / 8 % browsers.count]
            let began = ContinuousClock.now
            let answer = await ask(url, by: browser)
            figures.add(ContinuousClock.now - began)
            let isRight = answer.body["sub"] == .string(browser.subject)
            figures.count(answer.status == 200 && !isRight ? "200 for another user" : answer.kind)
        }
    }

    private func ask(_ url: String, by browser: Browser) async -> Answer {
        let answer = await client.ask(.GET, url, [browser.field, ("accept", "text/html")], within: patience)
        browser.keep(answer.cookies)
        return answer
    }

    /// Makes one sign-in, from the redirect to the page to the redirect back to the resource.
    ///
    /// - Returns: The result, as it is counted.
    private func signIn(_ browser: Browser) async -> String {
        let start = await ask(url, by: browser)
        guard start.status == 302, let page = URLComponents(string: start.location),
            let code = provider.sessions.code(at: start.location, for: browser.subject),
            let redirectURI = page.queryItems?.first(where: { $0.name == "redirect_uri" })?.value,
            let state = page.queryItems?.first(where: { $0.name == "state" })?.value,
            var callback = URLComponents(string: redirectURI)
        else { return "start: \(start.kind)" }
        callback.queryItems = [URLQueryItem(name: "code", value: code), URLQueryItem(name: "state", value: state)]
        let end = await ask(callback.string ?? redirectURI, by: browser)
        return end.status == 302 && end.location == url ? "200" : "finish: \(end.kind)"
    }
}
