import Foundation
import HTTPTypes
import Ostiary
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("A sign-in page that the app's own backend made")
struct LogiStartURLTests {
    static let web = "https://api.1pass.dev/oauth/authorize?client_id=c&state=s&scope=openid%20email"

    static func start(_ web: String, _ native: String? = nil) throws(LogiStartURL.Problem) -> LogiStartURL {
        guard let url = URL(string: web) else { throw .invalidURL }
        return try LogiStartURL(url, native: native.flatMap { URL(string: $0) })
    }

    @Test(
        "A pair that is equal but for the host starts a sign-in",
        .covers(.logi, rows: 18),
        arguments: [
            nil, LogiStartURLTests.web,
            "https://open.1pass.dev/oauth/authorize?client_id=c&state=s&scope=openid%20email",
        ] as [String?]
    )
    func good(native: String?) throws {
        let start = try Self.start(Self.web, native)
        #expect(start.web.absoluteString == Self.web)
        #expect(start.native?.absoluteString == native)
    }

    @Test(
        "A pair that differs in any other octet is refused",
        .covers(.logi, rows: 18),
        arguments: [
            "https://open.1pass.dev/oauth/authorise?client_id=c&state=s&scope=openid%20email",
            "https://open.1pass.dev/oauth/authorize/?client_id=c&state=s&scope=openid%20email",
            "https://open.1pass.dev/oauth/authorize?client_id=c&state=t&scope=openid%20email",
            "https://open.1pass.dev/oauth/authorize?state=s&client_id=c&scope=openid%20email",
            "https://open.1pass.dev/oauth/authorize?client_id=c&state=s&scope=openid+email",
            "https://open.1pass.dev/oauth/authorize?client_id=c&state=s&scope=openid%20email&x=y",
            "https://open.1pass.dev:8443/oauth/authorize?client_id=c&state=s&scope=openid%20email",
            "http://127.0.0.1/oauth/authorize?client_id=c&state=s&scope=openid%20email",
        ]
    )
    func pair(native: String) {
        #expect(throws: LogiStartURL.Problem.pairMismatch) { try Self.start(Self.web, native) }
    }

    @Test(
        "A page without exactly one state that is not empty is refused",
        .covers(.logi, rows: 18, cites: "L-15"),
        arguments: [
            "https://api.1pass.dev/oauth/authorize", "https://api.1pass.dev/oauth/authorize?client_id=c",
            "https://api.1pass.dev/oauth/authorize?state=", "https://api.1pass.dev/oauth/authorize?state",
            "https://api.1pass.dev/oauth/authorize?state=a&state=b",
            "https://api.1pass.dev/oauth/authorize?state=a&state=a",
            "https://api.1pass.dev/oauth/authorize?st%61te=a&state=",
            "https://api.1pass.dev/oauth/authorize?state=%FF", "https://api.1pass.dev/oauth/authorize?x=%3Fstate=s",
        ]
    )
    func state(web: String) {
        #expect(throws: LogiStartURL.Problem.missingState) { try Self.start(web, web) }
    }

    @Test(
        "A start URL that is not https, or has user info or a fragment, is refused",
        .covers(.logi, rows: 18),
        arguments: [
            "http://api.1pass.dev/oauth/authorize?state=s", "https://u:p@api.1pass.dev/?state=s",
            "https://api.1pass.dev/?state=s#f", "myapp://start?state=s", "https:/?state=s", "/oauth/authorize?state=s",
            "http://127.0.0.1.evil.example/?state=s",
        ]
    )
    func page(web: String) {
        #expect(throws: LogiStartURL.Problem.invalidURL) { try Self.start(web) }
        #expect(throws: LogiStartURL.Problem.invalidURL) { try Self.start(Self.web, web) }
    }

    @Test(
        "The app hands code and state to its backend, which redeems them without a token request of the app",
        .covers(.logi, rows: 17, 18, 19, 35)
    )
    func backend() async throws {
        let world = try LogiWorld()
        let partner = try LogiPartner(world)
        let start = try await partner.start()
        let logi = try world.logi(opener: world.nativeApp())
        let callback = try await logi.authorize(start)
        #expect(world.app.values == [start.native])
        #expect(world.browser.pages.values.isEmpty)
        #expect(world.wire.requests.isEmpty)
        #expect(world.store.calls(of: .write) == 0)
        let answer = try await partner.finish(callback)
        #expect(answer.object["session"]?.string?.isEmpty == false && answer.object["access_token"] == nil)
    }

    @Test("Without the app the browser opens the start URL's browser page", .covers(.logi, rows: 18, 20))
    func browser() async throws {
        let world = try LogiWorld()
        let partner = try LogiPartner(world)
        let start = try await partner.start()
        let app = world.app
        let logi = try world.logi(opener: { url in
            app.add(url)
            return false
        })
        #expect(try await partner.finish(try await logi.authorize(start)).status == 200)
        #expect(app.values == [start.native] && world.browser.pages.values == [start.web])
        let single = try LogiStartURL(start.web)
        _ = try await logi.authorize(single)
        #expect(app.values.count == 1)
    }

    @Test(
        "The redirect of a start URL is checked like that of a sign-in",
        .covers(.logi, rows: 17, cites: "L-5", "L-15", "L-16", "L-17"),
        arguments: [
            ("myapp://evil/callback?code=c&state=s", SignInError.Reason.mismatch(.redirectURI)),
            ("myapp://oauth/1pass/callback?code=c&state=other", .mismatch(.state)),
            ("myapp://oauth/1pass/callback?code=c", .mismatch(.state)),
            ("myapp://oauth/1pass/callback?error=access_denied&state=other", .mismatch(.state)),
            ("myapp://oauth/1pass/callback?code=c&state=s&state=s", .mismatch(.repeatedParameter)),
            ("myapp://oauth/1pass/callback?code=c&code=c&state=s", .mismatch(.repeatedParameter)),
            ("myapp://oauth/1pass/callback?code=c&state=s&iss=https://evil.example", .mismatch(.issuer)),
            ("myapp://oauth/1pass/callback?error=server_error&state=s", .refused(OAuthError(code: .serverError))),
            ("myapp://oauth/1pass/callback?state=s", .malformed("code")),
            ("myapp://oauth/1pass/callback?code=&state=s", .malformed("code")),
        ]
    )
    func redirect(text: String, reason: SignInError.Reason) async throws {
        let world = try LogiWorld()
        let answer = try #require(URL(string: text))
        let logi = try world.logi(browser: ScriptedUserAgent { (_, _) async throws(SignInError) -> URL in answer })
        let start = try Self.start(Self.web)
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.authorize(start) }
                == SignInError(.redirect, reason)
        )
    }

    @Test("An iss that names the issuer is accepted", .covers(.logi, rows: 8, 17))
    func issuer() async throws {
        let world = try LogiWorld()
        let answer = try #require(
            URL(string: "myapp://oauth/1pass/callback?code=c&state=s&iss=https%3A%2F%2Fapi.1pass.dev")
        )
        let logi = try world.logi(browser: ScriptedUserAgent { (_, _) async throws(SignInError) -> URL in answer })
        let callback = try await logi.authorize(try Self.start(Self.web))
        #expect(callback.code.reveal() == "c" && callback.state.reveal() == "s")
    }

    @Test(
        "A sign-in by start URL ends at its deadline and when it is cancelled",
        .covers(.logi, rows: 17, 26)
    )
    func ends() async throws {
        let world = try LogiWorld()
        var configuration = try world.configuration()
        configuration.deadline = .milliseconds(20)
        let start = try Self.start(Self.web)
        let hasty = try world.logi(configuration, browser: LogiWaitingBrowser())
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await hasty.authorize(start) }
                == SignInError(.authorization, .timedOut)
        )
        let browser = LogiWaitingBrowser()
        let logi = try world.logi(browser: browser)
        let task = Task { () async -> SignInError? in
            await thrownError { () async throws(SignInError) in _ = try await logi.authorize(start) }
        }
        _ = await browser.nextPage()
        #expect(logi.cancel(try #require(logi.currentFlow)))
        #expect(await task.value == SignInError(.authorization, .cancelled))
    }

    @Test(
        "A start URL pair is checked first, and its problems have the vendor's error names",
        .covers(.logi, rows: 18)
    )
    func vendorWords() async throws {
        let world = try LogiWorld()
        let auth = LogiAuth()
        let uri = try #require(URL(string: LogiWorld.redirectURI))
        let browser = LogiWaitingBrowser()
        auth.configure(
            LogiAuthConfig(clientId: LogiDevelopment.clientID, redirectURI: uri),
            on: LogiAuthPlatform(browser: browser, transport: world.wire, store: MemoryStore())
        )
        let running = Task { try? await auth.signIn() }
        _ = await browser.nextPage()
        func failure(_ web: String, _ native: String? = nil) async throws -> LogiAuthError? {
            let url = try #require(URL(string: web))
            let twin = native.flatMap { URL(string: $0) }
            return await thrownError { () async throws(LogiAuthError) in
                _ = try await auth.authorize(startURL: url, nativeStartURL: twin)
            }
        }
        #expect(try await failure("http://rp.example.com/?state=s") == .invalidAuthorizeURL)
        #expect(try await failure("https://rp.example.com/") == .missingStateInStartURL)
        #expect(try await failure(Self.web, Self.web + "&x=y") == .startURLPairMismatch)
        #expect(try await failure(Self.web) == .alreadyInProgress)
        #expect(auth.cancel())
        #expect(await running.value == nil)
    }
}
