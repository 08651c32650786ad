import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import Testing

/// Cookies as a server sees them: what came back of what it set.
@Suite("HTTPUserAgent keeps cookies", .timeLimit(.minutes(5)))
struct CookieTests {
    /// Sets cookies at one URL and reads what is sent to another.
    private func sent(_ cookies: [String], from: String = "https://id.example.com/login/form", to target: String)
        async throws -> String?
    {
        let site = WebSite { request in
            if request.url.absoluteString == target { return .answer }
            if request.url.absoluteString == from { return .redirect(target, cookies: cookies) }
            return .redirect(from)
        }
        _ = try await site.open()
        return site.requests.last?.fields[.cookie]
    }

    @Test("A cookie is sent to the host that set it, and to no other")
    func hostOnly() async throws {
        #expect(try await sent(["a=1; Path=/"], to: "https://id.example.com/x") == "a=1")
        #expect(try await sent(["a=1; Path=/"], to: "https://sub.id.example.com/x") == nil)
        #expect(try await sent(["a=1; Path=/"], to: "https://example.com/x") == nil)
        #expect(try await sent(["a=1; Path=/"], to: "https://other.example/x") == nil)
    }

    @Test("A cookie's domain widens it to hosts below, when the setting host is one of them")
    func domain() async throws {
        #expect(try await sent(["a=1; Path=/; Domain=.example.com"], to: "https://www.example.com/x") == "a=1")
        #expect(try await sent(["a=1; Path=/; Domain=example.com"], to: "https://badexample.com/x") == nil)
        #expect(try await sent(["a=1; Path=/; Domain=other.example"], to: "https://other.example/x") == nil)
        #expect(try await sent(["a=1; Path=/; Domain=com"], to: "https://other.com/x") == nil)
        #expect(try await sent(["a=1; Path=/; Domain=id.example.com"], to: "https://sub.id.example.com/x") == nil)
    }

    @Test("A cookie is sent to its path and below, by default to the folder that set it")
    func path() async throws {
        #expect(try await sent(["a=1"], to: "https://id.example.com/login/x") == "a=1")
        #expect(try await sent(["a=1"], to: "https://id.example.com/x") == nil)
        #expect(try await sent(["a=1; Path=/log"], to: "https://id.example.com/login") == nil)
        #expect(try await sent(["a=1; Path=/", "b=2; Path=/log/"], to: "https://id.example.com/log/x") == "b=2; a=1")
    }

    @Test("A Secure cookie is kept on this machine without TLS")
    func secure() async throws {
        let page = "http://127.0.0.1:8080/a"
        #expect(try await sent(["a=1; Path=/; Secure"], from: page, to: "http://127.0.0.1:8080/b") == "a=1")
    }

    @Test(
        "A cookie is removed when it expires",
        arguments: [
            ("a=1; Path=/; Max-Age=0", nil), ("a=1; Path=/; Max-Age=-1", nil), ("a=1; Path=/; Max-Age=10", "a=1"),
            ("a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil),
            ("a=1; Path=/; Expires=Fri, 15 Jan 2027 07:59:59 GMT", nil),
            ("a=1; Path=/; Expires=Fri, 15 Jan 2027 08:00:01 GMT", "a=1"),
            ("a=1; Path=/; Expires=Fri, 15-Jan-27 08:00:01 GMT", "a=1"),
            ("a=1; Path=/; Expires=Fri Jan 15 08:00:01 2027", "a=1"),
            ("a=1; Path=/; Expires=Tue, 29 Feb 2028 00:00:00 GMT; Max-Age=0", nil),
            ("a=1; Path=/; Expires=nonsense", "a=1"),
        ] as [(String, String?)]
    )
    func expiry(cookie: String, expected: String?) async throws {
        #expect(try await sent(["a=0; Path=/", cookie], to: "https://id.example.com/x") == expected)
    }

    @Test("Joined Set-Cookie fields are split at commas that are not a date's")
    func joined() async throws {
        let joined = "a=1; Path=/; Expires=Fri, 15 Jan 2027 08:00:01 GMT; HttpOnly, b=2; path=/, c=x=y,d=4; Path=/"
        #expect(try await sent([joined], to: "https://id.example.com/x") == "a=1; b=2; d=4")
        #expect(try await sent([joined], to: "https://id.example.com/login/x") == "c=x=y; a=1; b=2; d=4")
    }

    @Test("Separate Set-Cookie fields are separate cookies, and a later one replaces an earlier one")
    func separate() async throws {
        #expect(
            try await sent(["a=1; Path=/", "b=2; Path=/", "a=3; Path=/"], to: "https://id.example.com/x") == "b=2; a=3"
        )
    }

    @Test("A user agent keeps its cookies between attempts, and shares none with another")
    func attempts() async throws {
        let site = WebSite { request in
            if request.fields[.cookie] == "sid=1" { return .redirect("com.example.app:/callback?code=again") }
            return .redirect("com.example.app:/callback?code=first", cookies: ["sid=1"])
        }
        let userAgent = HTTPUserAgent(transport: site)
        #expect(try await userAgent.open() == "com.example.app:/callback?code=first")
        #expect(try await userAgent.open() == "com.example.app:/callback?code=again")
        #expect(try await HTTPUserAgent(transport: site).open() == "com.example.app:/callback?code=first")
    }
}
