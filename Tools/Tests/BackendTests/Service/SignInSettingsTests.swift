import Backend
import Foundation
import OstiaryOAuth
import OstiaryServer
import Testing

@Suite("The service's sign-ins in the configuration")
struct SignInSettingsTests {
    @Test("A sign-in at an issuer is read, with what it does without")
    func whole() throws {
        let settings = try #require(try read(Self.good).signIns.first)
        #expect(settings.path == "/auth" && settings.issuer.description == "https://id.example.com")
        #expect(settings.client.id == "service" && settings.client.authentication.method == "client_secret_basic")
        #expect(settings.scopes == [.openID] && settings.nativeHost == nil)
        #expect(settings.lifetimes == .init())
        #expect(settings.forwards.map(\.path) == ["/orders"])
        #expect(settings.forwards.map(\.target) == ["https://orders.example.com/v1"])
    }

    private static let several = """
        "sign_in": [{"issuer": "https://id.example.com", "client_id": "service",
                     "client_secret": {"environment": "SECRET"}, "redirect_uri": "com.example.app:/callback"},
                    {"path": "/partner", "issuer": "https://partner.example.com", "client_id": "partner",
                     "client_secret": {"environment": "SECRET"}, "redirect_uri": "com.example.app:/partner"}]
        """

    @Test("Two sign-ins at two paths have issuers and clients of their own")
    func several() throws {
        let signIns = try read(Self.several).signIns
        #expect(signIns.map(\.path) == ["/auth", "/partner"])
        #expect(signIns.map(\.issuer.description) == ["https://id.example.com", "https://partner.example.com"])
        #expect(signIns.map(\.client.id) == ["service", "partner"])
    }

    @Test(
        "An error in one of two sign-ins names its member",
        arguments: [
            (#""path": "/partner", "#, "", "sign_in[1].path"), ("/partner\",", "partner\",", "sign_in[1].path"),
            (#""issuer": "https://partner.example.com", "#, "", "sign_in[1].issuer"),
            (#""client_id": "service","#, "", "sign_in[0].client_id"),
        ]
    )
    func severalFaults(from: String, to: String, member: String) throws {
        let text = Self.several.replacing(from, with: to)
        #expect(text != Self.several)
        let error = #expect(throws: BackendConfigurationError.self) { try read(text) }
        #expect(error?.member == member, "\(String(describing: error))")
    }

    private static let posted = good.replacing(
        #""redirect_uri": "com.example.app:/callback""#,
        with: #"""
            "response_mode": "form_post", "redirect_uri": "https://api.example.com/auth/response",
            "app_redirect_uri": "com.example.app:/callback"
            """#
    )

    @Test("A sign-in with form_post has the service's redirect URI, and the app's beside it")
    func formPost() throws {
        #expect(try read(Self.good).signIns.first?.responseMode == .query)
        let settings = try #require(try read(Self.posted).signIns.first)
        #expect(settings.client.redirectURI.description == "https://api.example.com/auth/response")
        #expect(settings.responseMode == .formPost(redirectingTo: try RedirectURI("com.example.app:/callback")))
    }

    @Test(
        "A sign-in with form_post whose redirect URIs do not fit is refused with the member's name",
        arguments: [
            ("api.example.com/auth/response", "other.example.com/auth/response", "sign_in.redirect_uri"),
            ("/auth/response", "/auth/finish", "sign_in.redirect_uri"),
            (#""app_redirect_uri": "com.example.app:/callback""#, #""scopes": ["openid"]"#, "sign_in.app_redirect_uri"),
            (#""response_mode": "form_post", "#, "", "sign_in.app_redirect_uri"),
            ("form_post", "fragment", "sign_in.response_mode"),
        ]
    )
    func formPostFaults(from: String, to: String, member: String) throws {
        let text = Self.posted.replacing(from, with: to)
        #expect(text != Self.posted)
        let error = #expect(throws: BackendConfigurationError.self) { try read(text) }
        #expect(error?.member == member, "\(String(describing: error))")
    }

    @Test("A second endpoint at the path of the posted response is refused")
    func responsePath() throws {
        let text = Self.posted.replacing("\"/me\"", with: "\"/auth/response\"")
        #expect(throws: BackendConfigurationError.self) { try read(text) }
        #expect(throws: Never.self) {
            try read(Self.good.replacing("\"/me\"", with: "\"/auth/response\""))
        }
    }

    @Test("A lost refresh ends the session, and is repeated where the configuration allows it")
    func lostRefresh() throws {
        #expect(try read(Self.good).signIns.first?.lostRefresh == .ends)
        let text = Self.good.replacing(#""sign_in": {"#, with: #""sign_in": {"lost_refresh": "repeated", "#)
        #expect(try read(text).signIns.first?.lostRefresh == .isRepeated)
        let error = #expect(throws: BackendConfigurationError.self) {
            try read(text.replacing("repeated", with: "repeat"))
        }
        #expect(error?.member == "sign_in.lost_refresh")
    }

    @Test("A sign-in at logi has its issuer, scopes and pair of pages")
    func logi() throws {
        let settings = try #require(
            try read(
                """
                "logi": {"client_id": "logi_b", "client_secret": {"environment": "SECRET"},
                         "redirect_uri": "myapp://oauth/1pass/callback"}
                """
            )
            .signIns.first
        )
        #expect(settings.path == "/logi" && settings.issuer.description == "https://api.1pass.dev")
        #expect(settings.nativeHost == "open.1pass.dev")
        #expect(settings.client.authentication.method == "client_secret_post")
        #expect(settings.scopes.map(\.rawValue) == ["openid", "profile:basic", "email"])
    }

    @Test("An error in the sign-in's configuration names the member", arguments: SignInSettingsTests.faults)
    func wrongMember(fault: BackendConfigurationTests.Fault) throws {
        let text = Self.good.replacing(fault.from, with: fault.to)
        #expect(text != Self.good)
        do {
            _ = try read(text)
            Issue.record("It was read.")
        } catch let error as BackendConfigurationError {
            #expect(error.member == fault.member, "\(error)")
            #expect(!error.description.contains("secret value"))
        }
    }

    @Test(
        "Two endpoints at one path, or below a forwarded one, are refused",
        arguments: [
            ("/orders", "/auth/start"), ("/orders", "/auth"), ("\"/orders\"", "\"/me\""), ("/me", "/orders/me"),
        ]
    )
    func paths(from: String, to: String) throws {
        let text = Self.good.replacing(from, with: to)
        #expect(text != Self.good)
        #expect(throws: BackendConfigurationError.self) { try read(text) }
    }

    @Test("A sign-in without openid is refused before the backend listens")
    func withoutOpenID() async throws {
        let text = Self.good.replacing("\"path\": \"/auth\"", with: "\"path\": \"/auth\", \"scopes\": [\"email\"]")
        let configuration = try read(text)
        await #expect(throws: SignInError.self) { try await BackendServer.check(configuration) }
    }

    static let good = """
        "sign_in": {"path": "/auth", "issuer": "https://id.example.com", "client_id": "service",
                    "client_secret": {"environment": "SECRET"}, "redirect_uri": "com.example.app:/callback",
                    "forward": [{"path": "/orders", "to": "https://orders.example.com/v1"}]},
        "resources": [{"path": "/me", "issuer": "https://id.example.com", "audience": "https://api.example.com"}]
        """

    static let faults: [BackendConfigurationTests.Fault] = [
        .init(
            from: "\"issuer\": \"https://id.example.com\", \"client_id\"",
            to: "\"client_id\"",
            member: "sign_in.issuer"
        ),
        .init(from: "{\"environment\": \"SECRET\"}", to: "\"secret value\"", member: "sign_in.client_secret"),
        .init(from: "com.example.app:/callback", to: "my_app:/callback", member: "sign_in.redirect_uri"),
        .init(from: "\"/auth\"", to: "\"auth\"", member: "sign_in.path"),
        .init(from: "https://orders.example.com", to: "http://orders.example.com", member: "sign_in.forward[0].to"),
        .init(from: "example.com/v1", to: "example.com/v1?a=b", member: "sign_in.forward[0].to"),
        .init(from: "\"/orders\"", to: "\"/ready\"", member: "sign_in.forward[0].path"),
        .init(from: "\"to\"", to: "\"target\"", member: "sign_in.forward[0].target"),
    ]

    private func read(_ members: String) throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        let text = """
            {"origins": ["https://api.example.com"], "store": {"type": "memory"},
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}], \(members)}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "SECRET": "secret value"]
        )
    }
}
