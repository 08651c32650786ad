import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryTesting
import Testing

@Suite("HTTPUserAgent", .timeLimit(.minutes(5)))
struct HTTPUserAgentTests {
    private static let answered = "com.example.app:/callback?code=c&state=s"

    @Test(
        "The HTTP user agent keeps every promise of a user agent",
        arguments: [
            "com.example.app:/callback", "http://127.0.0.1/callback", "https://app.example.com/callback?tenant=1",
        ]
    )
    func contract(redirectURI: String) async throws {
        struct Server: HTTPTransport {
            let person: UserAgentCheck.User
            func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
                do throws(SignInError) {
                    return .redirect(try await person.redirect(for: request.url).absoluteString)
                } catch { throw .cancelled }
            }
        }
        try await UserAgentCheck(redirectURI: RedirectURI(redirectURI)) { person in
            HTTPUserAgent(transport: Server(person: person))
        }.run()
    }

    // MARK: Redirects

    @Test(
        "A redirect after a form changes the method as browsers do",
        arguments: [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
    )
    func methods(status: Int, method: String) async throws {
        let site = WebSite([
            "/authorize": .page("<form method=post action=send><input type=hidden name=a value=1></form>"),
            "/send": .redirect("../next?b=2", .init(code: status)),
            "/next": .answer,
        ])
        #expect(try await site.open() == Self.answered)
        let last = try #require(site.requests.last)
        #expect(last.url.absoluteString == "https://id.example.com/next?b=2")
        #expect(last.method.rawValue == method)
        #expect(last.body.map { String(decoding: $0, as: UTF8.self) } == (method == "POST" ? "a=1" : nil))
    }

    @Test("The redirect is recognized by scheme, host, port and path, and is not visited")
    func destination() async throws {
        let site = WebSite(["/authorize": .redirect("HTTPS://App.Example.com:443/callback?code=c#f")])
        let answer = try await site.open(redirectURI: "https://app.example.com/callback")
        #expect(answer.hasSuffix("/callback?code=c#f"))
        #expect(site.paths == ["/authorize"])
    }

    @Test(
        "A redirect to another place than the redirect URI is requested, and fails there",
        arguments: [
            "https://app.example.com/callback/", "https://app.example.com:8443/callback",
            "https://u@app.example.com/callback",
        ]
    )
    func notDestination(target: String) async throws {
        let site = WebSite { $0.url.path() == "/authorize" ? .redirect(target) : .page("", .notFound) }
        await #expect(throws: SignInError(.authorization, .server(status: 404))) {
            try await site.open(redirectURI: "https://app.example.com/callback")
        }
    }

    @Test(
        "The HTTP user agent requests https URLs and this machine only",
        arguments: ["http://id.example.com/", "other.app:/callback?code=1", "file:///etc/passwd"]
    )
    func insecure(target: String) async throws {
        let site = WebSite(["/authorize": .redirect(target)])
        await #expect(throws: SignInError(.authorization, .transport(.insecureURL))) { try await site.open() }
        #expect(site.paths == ["/authorize"])
    }

    @Test("The HTTP user agent stops after 25 redirects")
    func loop() async throws {
        let site = WebSite(["/authorize": .redirect("/authorize")])
        await #expect(
            throws: SignInError(.authorization, .malformed("the sign-in pages do not come to an end"))
        ) { try await site.open() }
        #expect(site.requests.count == 25)
    }

    @Test("A redirect that would carry a password to another origin is refused")
    func passwordOrigin() async throws {
        let site = WebSite([
            "/authorize": .page("<form method=post action=/login><input name=user><input type=password name=p></form>"),
            "/login": .redirect("https://other.example.com/login", .temporaryRedirect),
        ])
        await #expect(
            throws: SignInError(.authorization, .malformed("a redirect would carry the password to another origin"))
        ) { try await site.open() }
        #expect(site.paths == ["/authorize", "/login"])
    }

    @Test("A page with a meta refresh is followed")
    func refresh() async throws {
        let site = WebSite([
            "/authorize": .page(
                "<META http-equiv=Refresh content=\"0; URL='/next?a=1&amp;b=2'\"><form method=post><button>Go</form>"
            ),
            "/next": .answer,
        ])
        #expect(try await site.open() == Self.answered)
        #expect(site.requests.last?.url.query() == "a=1&b=2")
    }

    @Test("A posted authorization response is reported as unsupported")
    func formPost() async throws {
        let site = WebSite([
            "/authorize": .page(
                "<form method=post action=https://app.example.com/callback><input type=hidden name=code value=c></form>"
            )
        ])
        await #expect(
            throws: SignInError(.authorization, .unsupported("a response in the redirect's query; it posted a form"))
        ) { try await site.open(redirectURI: "https://app.example.com/callback") }
    }

    // MARK: Failures

    @Test("A page without a usable form is malformed")
    func noForm() async throws {
        let site = WebSite([
            "/authorize": .page("<h1>Hello</h1><form action=/search><input name=q><button>Search</button></form>")
        ])
        await #expect(
            throws: SignInError(.authorization, .malformed("the sign-in page has no form that can be filled"))
        ) { try await site.open() }
    }

    @Test("An error page fails with the server's status")
    func errorPage() async throws {
        let site = WebSite([
            "/authorize": .page("<h1>Oh</h1><form method=post><button>Report</button></form>", .internalServerError)
        ])
        await #expect(throws: SignInError(.authorization, .server(status: 500))) { try await site.open() }
    }

    @Test("The transport's failure is passed on by the HTTP user agent")
    func transportFailure() async throws {
        struct Broken: HTTPTransport {
            func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse { throw .tls }
        }
        await #expect(throws: SignInError(.authorization, .transport(.tls))) {
            try await HTTPUserAgent(transport: Broken()).open()
        }
    }

    @Test("A sign-in form ends the attempt when no credentials are given")
    func noCredentials() async throws {
        let site = WebSite([
            "/authorize": .page("<form method=post><input name=username><input type=password name=p></form>")
        ])
        await #expect(
            throws: SignInError(
                .authorization,
                .configuration("The sign-in page asks for a name and a password: give the user agent credentials.")
            )
        ) { try await site.open(credentials: nil) }
    }

    @Test("A sign-in form that returns with the same credentials is not sent again")
    func wrongPassword() async throws {
        let form = "<form method=post action=/login?next=1><input name=username><input type=password name=p></form>"
        let site = WebSite(["/authorize": .page(form), "/login": .page("<p>Wrong</p>" + form, .unauthorized)])
        await #expect(
            throws: SignInError(
                .authorization,
                .refused(
                    OAuthError(
                        code: .accessDenied,
                        description: "The sign-in form did not accept the name and password."
                    )
                )
            )
        ) { try await site.open() }
        #expect(site.paths == ["/authorize", "/login"])
    }

    @Test("A hostile page is parsed in one pass")
    func hostilePage() async throws {
        let pieces = [
            "<", "<a ", "<a b='", "<!--", "&", "<script>", "<option>", "<form id=a>", "</", "<input name=a form=z>",
        ]
        for piece in pieces {
            let site = WebSite(["/authorize": .page(String(repeating: piece, count: 100_000 / piece.utf8.count))])
            await #expect(
                throws: SignInError(.authorization, .malformed("the sign-in page has no form that can be filled"))
            ) { try await site.open() }
        }
    }
}
