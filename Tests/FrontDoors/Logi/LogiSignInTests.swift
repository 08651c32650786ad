import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryLogi
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Signing in with logi")
struct LogiSignInTests {
    @Test(
        "A sign-in sends a code request with state, nonce and an S256 challenge, in the order of the document",
        .covers(.logi, rows: 3, 4, 5, 6, 7, 16, 20, 22, cites: "L-2", "L-7")
    )
    func request() async throws {
        let world = try LogiWorld()
        let session = try await world.logi().signIn()
        let query = try #require(world.browser.pages.values.first).logiQuery
        #expect(
            query.names == [
                .responseType, .clientID, .redirectURI, .scope, .state, .nonce, .codeChallenge, .codeChallengeMethod,
            ]
        )
        #expect(query[.responseType] == "code")
        #expect(query[.clientID] == LogiDevelopment.clientID)
        #expect(query[.redirectURI] == LogiWorld.redirectURI)
        #expect(query[.scope] == "openid profile:basic email")
        #expect(query[.codeChallengeMethod] == "S256")
        for name in [Parameters.Name.state, .nonce, .codeChallenge] {
            #expect(try Base64URL.decode(query[name] ?? "").count == 32)
        }
        #expect(session.identity?.subject == "8c1f0a52-mina")
        #expect(session.identity?.claims["nonce"]?.string == query[.nonce])
        let exchange = try #require(world.wire.requests(to: "/oauth/token").first).form
        #expect(exchange.names == [.grantType, .code, .redirectURI, .codeVerifier, .clientID])
    }

    @Test("Two sign-ins share no one-time value", .covers(.logi, rows: 4, 5, 6, cites: "L-7"))
    func oneTimeValues() async throws {
        let world = try LogiWorld()
        _ = try await world.logi().signIn()
        _ = try await world.logi().signIn()
        let queries = world.browser.pages.values.map(\.logiQuery)
        for name in [Parameters.Name.state, .nonce, .codeChallenge] {
            #expect(Set(queries.map { $0[name] }).count == 2)
        }
    }

    @Test(
        "Published metadata is used, and an issuer without metadata is used at the documented paths",
        .covers(.logi, rows: 1)
    )
    func preset() async throws {
        let published = try LogiWorld()
        _ = try await published.logi().signIn()
        #expect(published.wire.requests(to: "/.well-known/openid-configuration").count == 1)

        let silent = try LogiWorld(options: .init(publishesMetadata: false))
        let session = try await silent.logi().signIn()
        #expect(
            silent.browser.pages.values.first?.absoluteString.hasPrefix("https://api.1pass.dev/oauth/authorize?")
                == true
        )
        #expect(try await session.userInfo().subject == "8c1f0a52-mina")
        let report = try await silent.logi().signOut(session)
        #expect(report.revocationFailure == nil)
        #expect(silent.wire.requests(to: "/oauth/revoke").count == 1)
        #expect(silent.wire.requests(to: "/.well-known/jwks.json").count == 1)
    }

    @Test("Metadata that names another issuer is refused, and not replaced by the preset", .covers(.logi, rows: 2))
    func otherIssuer() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "other") { $0.metadata = { $0["issuer"] = "https://api.1pass.example" } }
        )
        let logi = try world.logi()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
                == SignInError(.discovery, .mismatch(.metadataIssuer))
        )
        #expect(world.browser.pages.values.isEmpty)
    }

    @Test("An issuer that does not answer is an error, and not replaced by the preset", .covers(.logi, rows: 1))
    func silentIssuer() async throws {
        let world = try LogiWorld()
        world.network.lose(to: "/.well-known/openid-configuration", .beforeProcessing)
        let logi = try world.logi()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
                == SignInError(.discovery, .transport(.interrupted))
        )
    }

    @Test("An issuer with a path keeps it in front of every documented path", .covers(.logi, rows: 1))
    func issuerPath() async throws {
        let world = try LogiWorld(issuer: "https://login.example.com/tenant", options: .init(publishesMetadata: false))
        let session = try await world.logi().signIn()
        #expect(
            world.browser.pages.values.first?.absoluteString.hasPrefix(
                "https://login.example.com/tenant/oauth/authorize?"
            ) == true
        )
        try await session.refresh()
        #expect(world.wire.requests(to: "/tenant/oauth/token").count == 2)
    }

    @Test("A prompt is sent when it is asked for", .covers(.logi, rows: 9))
    func prompt() async throws {
        let world = try LogiWorld()
        _ = try await world.logi().signIn(prompt: [.login])
        #expect(world.browser.pages.values.first?.logiQuery[.prompt] == "login")
    }

    @Test("A sign-in with prompt=none ends with the server's error", .covers(.logi, rows: 9, cites: "L-4"))
    func silent() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let error = await thrownError { () async throws(SignInError) in _ = try await logi.signIn(prompt: [.none]) }
        #expect(
            error
                == SignInError(
                    .redirect,
                    .refused(OAuthError(code: .loginRequired, description: "The user has to sign in first."))
                )
        )
        #expect(
            LogiAuthError(try #require(error))
                == .authorizationServerError(
                    code: "login_required",
                    description: "The user has to sign in first."
                )
        )
    }

    @Test("A scope beyond the registered ones is refused with invalid_scope", .covers(.logi, rows: 3))
    func scopeDrift() async throws {
        let world = try LogiWorld()
        let logi = try world.logi()
        let error = await thrownError { () async throws(SignInError) in
            _ = try await logi.signIn(scopes: [.openID, .phone])
        }
        #expect(
            error
                == SignInError(
                    .redirect,
                    .refused(
                        OAuthError(code: .invalidScope, description: "The client may not ask for phone.")
                    )
                )
        )
    }

    @Test("A configuration or request without openid is refused before anything is sent", .covers(.logi, rows: 3))
    func openID() async throws {
        let sentence = "Add openid to the scopes: without it, the response does not name the user."
        #expect(throws: SignInError(.authorization, .configuration(sentence))) {
            try LogiConfiguration(clientID: "logi_x", redirectURI: "myapp://callback", scopes: [.email])
        }
        let world = try LogiWorld()
        let logi = try world.logi()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn(scopes: [.email]) }
                == SignInError(.authorization, .configuration("Ask for openid among the scopes."))
        )
        #expect(world.wire.requests.isEmpty)
    }

    @Test("A scheme with an underscore is refused when the app is configured", .covers(.logi, rows: 22))
    func underscore() throws {
        let error = #expect(throws: SignInError.self) {
            try LogiConfiguration(clientID: "logi_x", redirectURI: "my_app://callback")
        }
        #expect(error?.message.contains("underscore") == true)
    }

    @Test("A client identifier that is empty is refused", .covers(.logi, rows: 3))
    func emptyClient() throws {
        #expect(throws: SignInError.self) {
            try LogiWorld().logi(LogiConfiguration(clientID: "", redirectURI: "a://b"))
        }
    }

    @Test("An iss in the redirect is compared when it is there", .covers(.logi, rows: 8, cites: "L-16"))
    func issuerInResponse() async throws {
        let honest = try LogiWorld(options: .init(namesIssuerInResponses: true))
        _ = try await honest.logi().signIn()
        let mixed = try LogiWorld(
            scenario: Scenario(name: "mix-up") { $0.authorizationResponse = { $0[.issuer] = "https://evil.example" } }
        )
        let logi = try mixed.logi()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
                == SignInError(.redirect, .mismatch(.issuer))
        )
        #expect(mixed.wire.requests(to: "/oauth/token").isEmpty)
    }

    @Test(
        "A token issuer of another name is used at the documented paths, and no other issuer is accepted",
        .covers(.logi, rows: 2, cites: "L-14")
    )
    func tokenIssuer() async throws {
        let world = try LogiWorld(
            scenario: Scenario(name: "staging") { $0.idToken = { $0.claims["iss"] = "https://staging.example.com" } }
        )
        let session = try await world.logi(world.configuration(tokenIssuer: "https://staging.example.com")).signIn()
        #expect(session.identity?.issuer == "https://staging.example.com")
        #expect(world.wire.requests(to: "/.well-known/openid-configuration").isEmpty)
        let other = try world.logi()
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await other.signIn() }
                == SignInError(.identity, .mismatch(.issuer))
        )
    }

    @Test("A loopback redirect of a desktop or a command line signs in, on any port", .covers(.logi, rows: 48))
    func loopback() async throws {
        let world = try LogiWorld()
        let agent = LogiPortBrowser(browser: world.browser)
        let session = try await world.logi(
            world.configuration(redirectURI: "http://127.0.0.1/callback"),
            browser: agent
        )
        .signIn()
        #expect(session.identity?.subject == "8c1f0a52-mina")
        let sent = world.browser.pages.values.first?.logiQuery[.redirectURI]
        #expect(sent == "http://127.0.0.1:49152/callback")
        #expect(world.wire.requests(to: "/oauth/token").first?.form[.redirectURI] == sent)
    }

    @Test("An https redirect that the app claims signs in", .covers(.logi, rows: 21))
    func https() async throws {
        let world = try LogiWorld()
        let uri = "https://app.example.com/oauth/1pass/callback"
        _ = try await world.logi(world.configuration(redirectURI: uri)).signIn()
        #expect(world.browser.pages.values.first?.logiQuery[.redirectURI] == uri)
    }

    @Test(
        "A default configuration has the values of the vendor's document",
        .covers(.logi, rows: 24, 26, 30)
    )
    func values() throws {
        let configuration = try LogiConfiguration(clientID: "logi_x", redirectURI: "myapp://callback")
        #expect(configuration.issuer.description == "https://api.1pass.dev")
        #expect(configuration.tokenIssuer == configuration.issuer)
        #expect(configuration.nativeHost.description == "open.1pass.dev")
        #expect(configuration.browserSession == .ephemeral)
        #expect(configuration.deadline == .seconds(300))
        #expect(configuration.scopes.text == "openid profile:basic email")
        #expect(LogiPreset.clockTolerance == .seconds(60))
        #expect(LogiPreset.expiryLeeway == .seconds(60))
        #expect(LogiPreset.appScheme == "onepass")
        #expect(LogiPreset.diagnosticsPage?.absoluteString == "https://api.1pass.dev/diagnose")
        #expect(configuration.pendingLifetime == nil)
    }

    @Test(
        "A redirect to a host of the provider's, whose own app would claim it, is refused with the fix",
        .covers(.logi, rows: 21),
        arguments: [
            "https://api.1pass.dev/callback", "https://open.1pass.dev/callback", "https://OPEN.1pass.dev/callback",
            "https://staging.example.com/callback",
        ]
    )
    func providersHosts(_ uri: String) throws {
        let issuer = uri.contains("staging") ? "https://staging.example.com" : LogiPreset.issuer
        let error = #expect(throws: SignInError.self) {
            try LogiConfiguration(clientID: "logi_x", redirectURI: uri, issuer: issuer)
        }
        #expect(error?.message.contains("the provider's own host") == true)
        _ = try LogiConfiguration(clientID: "logi_x", redirectURI: "https://app.example.com/callback", issuer: issuer)
        _ = try LogiConfiguration(clientID: "logi_x", redirectURI: "open.1pass.dev://callback", issuer: issuer)
    }
}

/// A browser with a listener on a port of its own.
struct LogiPortBrowser: UserAgent {
    let browser: LogiBrowser

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        try await browser.attempt(awaiting: try RedirectURI("http://127.0.0.1:49152/callback"))
    }
}
