import Backend
import Foundation
import OstiaryOAuth
import OstiaryServer
import Testing

@Suite("The settings of the sign-in of web apps")
struct BrowserSettingsTests {
    /// A configuration with these members of `browser`, and of the whole.
    private func read(_ browser: String, _ more: String = "") throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        let text = """
            {"origins": ["https://app.example.com"], "store": {"type": "memory"}, \(more)
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
             "browser": {"issuer": "https://id.example.com", "client_id": "web",
                         "client_secret": {"environment": "SECRET"}\(browser)}}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "SECRET": "secret value"]
        )
    }

    @Test("Every member of the web apps' sign-in is read")
    func all() async throws {
        let configuration = try read(
            """
            , "path": "/sign-in", "origin": "https://app.example.com", "origins": ["https://spa.example.com"],
            "landing": "/home", "post_logout_redirect_uri": "https://app.example.com/bye", "cookie": "own",
            "same_site": "lax", "claims": ["name", "roles"], "user_info": false, "session_seconds": 7200,
            "idle_seconds": 600, "starts_per_minute_and_sender": 7, "scopes": ["openid", "profile"],
            "forward": [{"path": "/api", "to": "https://api.example.com/v1"}]
            """
        )
        let settings = try #require(configuration.browser)
        #expect(settings.path == "/sign-in" && settings.base.description == "https://app.example.com/sign-in")
        #expect(settings.origins == [try Origin("https://spa.example.com")] && settings.landing == "/home")
        #expect(settings.postLogoutRedirectURI?.description == "https://app.example.com/bye")
        #expect(settings.cookies.name == "own" && settings.cookies.sameSite == .lax)
        #expect(settings.claims == ["name", "roles"] && !settings.readsUserInfo)
        #expect(settings.lifetimes == ServerSessions.Lifetimes(absolute: .seconds(7200), idle: .seconds(600)))
        #expect(settings.limit == RateLimit(7, per: .seconds(60)) && settings.request.scopes == [.openID, .profile])
        #expect(settings.forwards.map(\.path) == ["/api"] && settings.gateway == nil)
        try await BackendServer.check(configuration)
    }

    @Test("A lost refresh ends a browser's session, and is repeated where the configuration allows it")
    func lostRefresh() throws {
        #expect(try read("").browser?.lostRefresh == .ends)
        #expect(try read(#", "lost_refresh": "repeated""#).browser?.lostRefresh == .isRepeated)
        let error = #expect(throws: BackendConfigurationError.self) { try read(#", "lost_refresh": "repeat""#) }
        #expect(error?.member == "browser.lost_refresh")
    }

    @Test("The gateway's settings are read, with what it does without")
    func gateway() throws {
        let plain = try #require(try read(#", "gateway": {}"#).browser?.gateway)
        #expect(plain.path == "/gateway/check" && plain.refusal == .unauthorized && plain.groupsClaim == "groups")
        #expect(plain.groups == nil && !plain.acceptsUnverifiedEmail && !plain.passesAccessToken)
        let whole = try read(
            """
            , "gateway": {"path": "/check", "refusal": "redirect", "groups_claim": "roles", "groups": ["a", "b"],
                          "unverified_email": true, "access_token": true}
            """,
            #""trusted_proxies": ["10.0.0.0/8"], "client_address": "forwarded","#
        )
        let gateway = try #require(whole.browser?.gateway)
        #expect(gateway.path == "/check" && gateway.refusal == .redirect && gateway.groupsClaim == "roles")
        #expect(gateway.groups == ["a", "b"] && gateway.acceptsUnverifiedEmail && gateway.passesAccessToken)
    }

    @Test("An access token for the application is refused until the proxies are named that may ask for it")
    func accessToken() throws {
        let error = #expect(throws: BackendConfigurationError.self) {
            try read(#", "gateway": {"access_token": true}"#)
        }
        #expect(error?.member == "browser.gateway.access_token")
    }

    @Test(
        "A wrong value is named by its member",
        arguments: [
            (#", "pat": "/x""#, "browser"), (#", "path": "x""#, "browser.path"),
            (#", "claims": "name""#, "browser.claims"),
            (#", "user_info": "no""#, "browser.user_info"), (#", "session_seconds": "a""#, "browser.session_seconds"),
            (#", "post_logout_redirect_uri": "bye""#, "browser.post_logout_redirect_uri"),
            (#", "gateway": {"groups": "a"}"#, "browser.gateway.groups"),
            (#", "gateway": {"unverified_email": 1}"#, "browser.gateway.unverified_email"),
            (#", "gateway": {"path": "check"}"#, "browser.gateway.path"),
            (#", "gateway": {"group": []}"#, "browser.gateway"),
            (#", "starts_per_minute_and_sender": 0"#, "browser.starts_per_minute_and_sender"),
        ]
    )
    func faults(browser: String, member: String) throws {
        let error = #expect(throws: BackendConfigurationError.self) { try read(browser) }
        #expect(error?.member.hasPrefix(member) == true, "\(String(describing: error))")
    }

    @Test("Two things at one path are refused before anything listens")
    func paths() throws {
        #expect(throws: BackendConfigurationError.self) { try read(#", "gateway": {"path": "/web/session"}"#) }
        #expect(throws: BackendConfigurationError.self) {
            try read(#", "forward": [{"path": "/web/login", "to": "https://api.example.com"}]"#)
        }
    }
}
