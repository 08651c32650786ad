import Crypto
import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The authorization request")
struct AuthorizationRequestTests {
    private func configurationError(_ request: AuthorizationRequest) -> Bool {
        guard case .configuration? = signInError({ _ = try Fixtures.pending(request) })?.reason else { return false }
        return true
    }

    @Test("An authorization request carries exactly the specified parameters")
    func parameters() throws {
        let query = Fixtures.query(try Fixtures.pending())
        #expect(
            query.names.map(\.rawValue) == [
                "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
                "code_challenge_method",
            ]
        )
        #expect(query[.responseType] == "code")
        #expect(query[.clientID] == "app")
        #expect(query[.redirectURI] == "com.example.app:/callback")
        #expect(query[.scope] == "openid profile offline_access")
        #expect(query[.codeChallengeMethod] == "S256")
    }

    @Test(
        "The single resource of a request without openid is sent with the code and every refresh, and stored"
    )
    func signInResource() throws {
        let api = try ResourceIndicator("https://api.example.com")
        let other = try ResourceIndicator("https://other.example.com")
        for (scopes, resources, sent) in [
            (["a"], [api], api.description), ([.openID], [api], nil), (["a"], [api, other], nil), (["a"], [], nil),
        ] as [([Scope], [ResourceIndicator], String?)] {
            let request = AuthorizationRequest(scopes: scopes, resources: resources)
            let pending = try Fixtures.pending(request)
            let restored = try PendingAuthorization(
                stored: try pending.stored(),
                client: Fixtures.client(),
                server: Fixtures.server
            )
            #expect(try Fixtures.grant(pending).exchange().request().form[.resource] == sent)
            let state = try #require(Fixtures.query(pending)[.state])
            let redirect = try #require(URL(string: "com.example.app:/callback?code=code-1&state=\(state)"))
            #expect(try restored.grant(from: redirect).exchange().request().form[.resource] == sent)
        }
        let request = AuthorizationRequest(scopes: ["a"], resources: [api])
        let tokens = try Fixtures.signIn(request, response: { $0["id_token"] = nil })
        #expect(tokens.signInResource == api && tokens.access(for: api) == tokens.access)
        let stored = try TokenSet(stored: try tokens.stored())
        let refresh = TokenRequest(try RefreshGrant(stored), client: Fixtures.client(), server: Fixtures.server)
        #expect(try refresh.request().form[.resource] == api.description)
        #expect(try Fixtures.refresh(tokens, idToken: false).signInResource == api)
    }

    @Test("State, nonce and challenge are 43 characters each, and new for each request")
    func oneTimeValues() throws {
        var random = SystemRandomNumberGenerator()
        var seen: Set<String> = []
        for _ in 0..<50 {
            let pending = try AuthorizationRequest().prepared(
                for: Fixtures.client(),
                at: Fixtures.server,
                using: &random
            )
            let query = Fixtures.query(pending)
            for name in [Parameters.Name.state, .nonce, .codeChallenge] {
                let value = try #require(query[name])
                #expect(value.utf8.count == 43)
                #expect(try Base64URL.decode(value).count == 32)
                seen.insert(value)
            }
        }
        #expect(seen.count == 150)
    }

    @Test("The redeemed code verifier matches the challenge that was sent, and is in no URL")
    func proofKey() throws {
        let pending = try Fixtures.pending()
        let form = try Fixtures.grant(pending).exchange().request().form
        let verifier = try #require(form[.codeVerifier])
        #expect(
            Fixtures.query(pending)[.codeChallenge] == Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8))))
        )
        #expect(!pending.url.absoluteString.contains(verifier))
    }

    @Test("RFC 7636 appendix B: the challenge of a known verifier")
    func appendixB() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(
            Base64URL.encode(Array(SHA256.hash(data: Data(verifier.utf8))))
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        )
    }

    @Test("An authorization request sends the app's scopes, prompt, max_age, hints and resources")
    func options() throws {
        let request = AuthorizationRequest(
            scopes: [.openID, "api:read"],
            prompt: [.login, .consent],
            maximumAge: .zero,
            authenticationContext: .required(["a", "b"]),
            loginHint: "a+b@example.com",
            uiLocales: ["ko", "en"],
            resources: [
                try ResourceIndicator("https://a.example.com"), try ResourceIndicator("https://b.example.com"),
            ],
            additionalParameters: ["audience": "x y&z", "tag": "1", "tag": "2"]
        )
        let query = Fixtures.query(try Fixtures.pending(request))
        #expect(query[.scope] == "openid api:read")
        #expect(query[.prompt] == "login consent")
        #expect(query[.maxAge] == "0")
        #expect(query[.acrValues] == "a b")
        #expect(query[.loginHint] == "a+b@example.com")
        #expect(query[.uiLocales] == "ko en")
        #expect(query["audience"] == "x y&z")
        #expect(query.values(of: "tag") == ["1", "2"])
        #expect(query.values(of: .resource) == ["https://a.example.com", "https://b.example.com"])
    }

    @Test("A fraction of a second of the maximum age is dropped from max_age and from the stored request")
    func wholeMaximumAge() throws {
        for (age, sent) in [(Duration.milliseconds(90_900), "90"), (.milliseconds(1), "0"), (.seconds(300), "300")] {
            let pending = try Fixtures.pending(AuthorizationRequest(maximumAge: age))
            #expect(Fixtures.query(pending)[.maxAge] == sent)
            #expect(try pending.stored()["max_age"]?.integer == Int(sent))
        }
    }

    @Test("An authorization request without openid sends no nonce")
    func noNonce() throws {
        #expect(Fixtures.query(try Fixtures.pending(AuthorizationRequest(scopes: ["api"])))[.nonce] == nil)
    }

    @Test("An authorization endpoint's own query is kept")
    func endpointQuery() throws {
        var server = Fixtures.server
        server.authorizationEndpoint = URL(string: "https://id.example.com/authorize?tenant=a")!
        let pending = try Fixtures.pending(server: server)
        #expect(pending.url.absoluteString.hasPrefix("https://id.example.com/authorize?tenant=a&response_type=code"))
    }

    @Test(
        "An authorization request with a parameter that it sets itself is refused",
        arguments: [
            "state", "nonce", "redirect_uri", "code_challenge", "scope", "request", "client_secret", "response_mode",
        ]
    )
    func ownParameters(_ name: String) {
        var parameters = Parameters()
        parameters.append("x", for: Parameters.Name(rawValue: name))
        #expect(configurationError(AuthorizationRequest(additionalParameters: parameters)))
    }

    @Test("A contradictory authorization request is refused before a page opens")
    func contradictions() {
        #expect(configurationError(AuthorizationRequest(scopes: ["openid profile"])))
        #expect(configurationError(AuthorizationRequest(scopes: [""])))
        #expect(configurationError(AuthorizationRequest(prompt: [.none, .login])))
        #expect(configurationError(AuthorizationRequest(maximumAge: .seconds(-1))))
    }

    @Test("A server without S256 or without an authorization endpoint is refused")
    func unsupported() {
        var plain = Fixtures.server
        plain.codeChallengeMethods = ["plain"]
        #expect(signInError { _ = try Fixtures.pending(server: plain) }?.stage == .authorization)
        var silent = Fixtures.server
        silent.authorizationEndpoint = nil
        #expect(
            signInError { _ = try Fixtures.pending(server: silent) }
                == SignInError(.authorization, .unsupported("an authorization_endpoint"))
        )
    }

    @Test("Printing a pending authorization shows no one-time value")
    func redacted() throws {
        let pending = try Fixtures.pending()
        var dumped = ""
        dump(pending, to: &dumped)
        let shown = "\(pending)" + String(reflecting: pending) + dumped
        let query = Fixtures.query(pending)
        for name in [Parameters.Name.state, .nonce] { #expect(!shown.contains(try #require(query[name]))) }
    }
}
