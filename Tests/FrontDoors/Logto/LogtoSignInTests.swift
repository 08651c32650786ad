import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryLogto
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Logto: a sign-in")
struct LogtoSignInTests {
    @Test(
        "The page gets every parameter of the contract, and the app redeems the code itself",
        .covers(.logto, rows: 1, 3, 4, 5, 6, 7, 9, 13, 16, 20, 22, 35, cites: "G-3")
    )
    func contract() async throws {
        let world = try LogtoWorld()
        let session = try await world.logto(try world.config(scopes: ["email"], resources: [LogtoWorld.shopping]))
            .signIn()
        let page = try #require(world.pages.urls.first)
        #expect(page.absoluteString.hasPrefix("https://tenant.logto.test/oidc/auth?"))
        let sent = world.pages.parameters()
        #expect(sent[.clientID] == "logto-app" && sent[.redirectURI] == "io.logto.app://callback")
        #expect(sent[.responseType] == "code" && sent[.codeChallengeMethod] == "S256" && sent[.prompt] == "consent")
        #expect(sent[.scope] == "openid offline_access profile email" && sent[.resource] == LogtoWorld.shopping)
        for name: Parameters.Name in [.state, .nonce, .codeChallenge] { #expect(sent[name]?.utf8.count == 43) }
        let form = try #require(world.forms("/token").first)
        #expect(form[.grantType] == "authorization_code" && form[.clientID] == "logto-app" && form[.code] != nil)
        #expect(form[.redirectURI] == "io.logto.app://callback" && form[.clientSecret] == nil && form[.resource] == nil)
        #expect(form[.codeVerifier].map(LogtoUtilities.generateCodeChallenge) == sent[.codeChallenge])
        #expect(session.claims?.sub == "user-alice" && session.isRefreshable)
        #expect(world.network.count(path: "/oidc/.well-known/openid-configuration") == 1)
    }

    @Test(
        "State, nonce, challenge and verifier are new for each sign-in",
        .covers(.logto, rows: 5, 6, cites: "G-12")
    )
    func oneTimeValues() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        for _ in 0..<2 { _ = try await logto.signIn() }
        for name: Parameters.Name in [.state, .nonce, .codeChallenge] {
            #expect(world.pages.parameters(of: 0)[name] != world.pages.parameters(of: 1)[name])
        }
        #expect(LogtoUtilities.generateState() != LogtoUtilities.generateState())
        #expect(LogtoUtilities.generateCodeVerifier().utf8.count == 43)
    }

    @Test(
        "Options become Logto's own parameters",
        .covers(.logto, rows: 9, 10, 12)
    )
    func options() async throws {
        let world = try LogtoWorld()
        _ = try await world.logto().signIn(
            LogtoSignInOptions(
                prompt: LogtoCore.Prompt([.login, .consent]),
                loginHint: "alice",
                directSignIn: LogtoCore.DirectSignInOptions(method: .social, target: " github "),
                firstScreen: .identifierSignIn,
                identifiers: [.email, .username],
                uiLocales: ["de-AT", "de"],
                organizationID: "acme",
                oneTimeToken: Secret("magic"),
                extraParameters: ["theme": "dark", "interaction_mode": "signIn"]
            )
        )
        let sent = world.pages.parameters()
        #expect(sent[.prompt] == "login consent" && sent[.loginHint] == "alice" && sent[.uiLocales] == "de-AT de")
        #expect(sent["direct_sign_in"] == "social:github" && sent["first_screen"] == "identifier:sign_in")
        #expect(sent["identifier"] == "email username" && sent["organization_id"] == "acme")
        #expect(sent["one_time_token"] == "magic" && sent["theme"] == "dark" && sent["interaction_mode"] == "signIn")
    }

    @Test("An enterprise's provider is named by its connector; an empty target is left out", .covers(.logto, rows: 12))
    func directSignIn() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        _ = try await logto.signIn(LogtoSignInOptions(directSignIn: .init(method: .sso, target: "conn-1")))
        _ = try await logto.signIn(LogtoSignInOptions(directSignIn: .init(method: .social, target: " \n")))
        #expect(world.pages.parameters(of: 0)["direct_sign_in"] == "sso:conn-1")
        #expect(world.pages.parameters(of: 1)["direct_sign_in"] == nil)
    }

    @Test(
        "A first screen is sent with underscores, even when it is written with hyphens",
        .covers(.logto, rows: 12)
    )
    func firstScreen() {
        #expect(FirstScreen(rawValue: "identifier:sign-in") == .identifierSignIn)
        #expect(FirstScreen.identifierSignIn.rawValue == "identifier:sign_in")
        #expect(
            FirstScreen.resetPassword.rawValue == "reset_password"
                && FirstScreen(rawValue: "signIn").rawValue == "signIn"
        )
    }

    @Test("Identifiers without a first screen that accepts them are refused", .covers(.logto, rows: 12))
    func identifiers() async throws {
        let logto = try LogtoWorld().logto()
        let error = await thrownError { () throws(SignInError) in
            _ = try await logto.signIn(LogtoSignInOptions(firstScreen: .register, identifiers: [.phone]))
        }
        #expect(
            error
                == SignInError(
                    .authorization,
                    .configuration(
                        "Identifiers need the first screen identifier:sign_in, identifier:register or reset_password."
                    )
                )
        )
    }

    @Test(
        "An extra parameter that the request or an option sets is refused",
        .covers(.logto, rows: 12, cites: "G-15"),
        arguments: [
            "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
            "code_challenge_method", "resource", "prompt", "response_mode", "request_uri", "request", "acr_values",
            "max_age", "direct_sign_in",
        ]
    )
    func reservedParameters(name: String) async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        let error = await thrownError { () throws(SignInError) in
            _ = try await logto.signIn(
                LogtoSignInOptions(
                    directSignIn: .init(method: .social, target: "github"),
                    extraParameters: [.init(rawValue: name): "x"]
                )
            )
        }
        #expect(error?.stage == .authorization && error?.recovery == .fixConfiguration)
        #expect(world.pages.urls.isEmpty)
    }

    @Test("A parameter with its own option may be an extra parameter instead, but not both", .covers(.logto, rows: 10))
    func extraHints() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        let extra: Parameters = ["login_hint": "alice", "ui_locales": "fr"]
        _ = try await logto.signIn(LogtoSignInOptions(extraParameters: extra))
        #expect(world.pages.parameters().values(of: .loginHint) == ["alice"])
        #expect(world.pages.parameters().values(of: .uiLocales) == ["fr"])
        for options in [
            LogtoSignInOptions(loginHint: "bob", extraParameters: extra),
            LogtoSignInOptions(uiLocales: ["de"], extraParameters: extra),
            LogtoSignInOptions(extraParameters: ["theme": "dark", "theme": "light"]),
        ] {
            #expect(await thrownError { () throws(SignInError) in _ = try await logto.signIn(options) } != nil)
        }
        #expect(world.pages.urls.count == 1)
    }

    @Test(
        "An endpoint may have a path, and a slash at its end",
        .covers(.logto, rows: 1),
        arguments: ["https://id.example.test/tenants/one", "http://localhost:3001"]
    )
    func endpointWithPath(endpoint: String) async throws {
        let world = try LogtoWorld(endpoint: endpoint)
        let config = try LogtoConfig(endpoint: endpoint + "/", appId: "logto-app")
        #expect(config.issuer == endpoint + "/oidc")
        let session = try await world.logto(config).signIn()
        #expect(session.claims?.iss == endpoint + "/oidc")
        #expect(world.count("/.well-known/openid-configuration") == 1)
    }

    @Test("A query that the authorization endpoint has stays in it", .covers(.logto, rows: 1, cites: "G-18"))
    func endpointQuery() async throws {
        let scenario = Scenario(name: "endpoint-query") { scenario in
            scenario.metadata = { metadata in
                for name in ["authorization_endpoint", "end_session_endpoint"] {
                    metadata[name] = .string((metadata[name]?.string ?? "") + "?tenant=one")
                }
            }
        }
        let world = try LogtoWorld(scenario: scenario)
        let session = try await world.logto().signIn()
        try await session.signOut(returningTo: "io.logto.app://signed-out")
        for index in 0...1 { #expect(world.pages.parameters(of: index)["tenant"] == "one") }
        #expect(world.pages.parameters(of: 1)[.clientID] == "logto-app")
    }

    @Test(
        "A redirect URI may be https, on this machine, or version 1's",
        .covers(.logto, rows: 21, 22, 48, 57),
        arguments: ["https://app.example.com/callback", "http://127.0.0.1:49152/callback", "io.logto://callback"]
    )
    func redirectURIs(uri: String) async throws {
        let world = try LogtoWorld()
        let session = try await world.logto(redirectURI: uri).signIn()
        #expect(session.claims?.sub == "user-alice")
        #expect(world.pages.parameters()[.redirectURI] == uri)
    }

    @Test("Only one sign-in is open at a time", .covers(.logto, rows: 26))
    func oneAtATime() async throws {
        let world = try LogtoWorld()
        let gate = LogtoGate(over: world.network, path: "/oidc/token")
        let logto = try world.logto(transport: gate)
        let first = Task { try await logto.signIn() }
        await gate.arrival()
        let error = await thrownError { () throws(SignInError) in _ = try await logto.signIn() }
        #expect(error == SignInError(.authorization, .alreadyInProgress))
        #expect(error?.logtoFailure == .alreadyInProgress)
        gate.open()
        _ = try await first.value
        _ = try await logto.signIn()
    }

    @Test(
        "A user who closes the browser cancels, and a later sign-in succeeds",
        .covers(.logto, rows: 26)
    )
    func cancelled() async throws {
        let world = try LogtoWorld()
        let closing = world.person(changing: { (_) throws(SignInError) in throw SignInError(.authorization, .cancelled)
        })
        let error = await thrownError { () throws(SignInError) in
            _ = try await world.logtoOrFail(userAgent: closing).signIn()
        }
        #expect(error?.logtoFailure == .userCancelled)
        #expect(try await world.logto().restoreSession() == nil)
        _ = try await world.logto().signIn()
    }

    @Test("A cancelled task closes the browser", .covers(.logto, rows: 26, cites: "G-25"))
    func cancelledTask() async throws {
        let world = try LogtoWorld()
        let closed = AsyncStream<Void>.makeStream()
        let opened = AsyncStream<Void>.makeStream()
        let redirects = ForwardedRedirects()
        let agent = ForwardingUserAgent(
            redirects,
            opening: { (_) throws(SignInError) in opened.continuation.yield() },
            closing: { closed.continuation.yield() }
        )
        let logto = try world.logto(userAgent: agent)
        let task = Task { await thrownError { () throws(SignInError) in _ = try await logto.signIn() } }
        for await _ in opened.stream { break }
        task.cancel()
        #expect(await task.value == SignInError(.authorization, .cancelled))
        for await _ in closed.stream { break }
        #expect(!redirects.handle(URL(string: "io.logto.app://callback?code=c&state=s")!))
    }

    @Test(
        "A redirect after a restart completes the sign-in once",
        .covers(.logto, rows: 25)
    )
    func afterRestart() async throws {
        let world = try LogtoWorld()
        let dying = world.person(changing: { (url) throws(SignInError) in
            world.pages.add(url)
            throw SignInError(.authorization, .timedOut)
        })
        let kept = MemoryStore()
        let store = LogtoKeepingStore(kept)
        _ = await thrownError { () throws(SignInError) in
            _ = try await world.logtoOrFail(userAgent: dying, store: store, pendingLifetime: .seconds(600)).signIn()
        }
        let redirect = try #require(world.pages.urls.last)
        let logto = try world.logto(store: kept, pendingLifetime: .seconds(600))
        #expect(try await logto.resumeSignIn(from: URL(string: "io.logto.app://callback?code=c&state=other")!) == nil)
        let session = try #require(try await logto.resumeSignIn(from: redirect))
        #expect(session.claims?.sub == "user-alice")
        #expect(try await logto.resumeSignIn(from: redirect) == nil)
        #expect(try await logto.restoreSession() != nil)
    }

    @Test(
        "With prompt=login a session has no refresh token, and the configuration advises about it",
        .covers(.logto, rows: 9, 32)
    )
    func loginPrompt() async throws {
        let world = try LogtoWorld()
        let config = try world.config(prompt: .login)
        #expect(config.advice.count == 1)
        #expect(try world.config().advice == [])
        let session = try await world.logto(config).signIn()
        #expect(!session.isRefreshable && session.claims?.sub == "user-alice")
        world.clock.advance(by: .seconds(3600))
        let error = await thrownError { () throws(SignInError) in _ = try await session.accessToken() }
        #expect(error?.logtoFailure == .noRefreshToken)
    }

    @Test("Keys that the tenant replaced are read again", .covers(.logto, rows: 31))
    func keyRotation() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        _ = try await logto.signIn()
        try await world.provider.rotateSigningKeys()
        world.clock.advance(by: .seconds(120))
        _ = try await logto.signIn()
        #expect(world.count("/jwks") == 2)
    }

    @Test("Metadata is read again after an hour", .covers(.logto, rows: 1, cites: "G-24"))
    func metadataAge() async throws {
        let world = try LogtoWorld()
        let logto = try world.logto()
        _ = try await logto.signIn()
        world.clock.advance(by: .seconds(3700))
        _ = try await logto.signIn()
        #expect(world.count("/.well-known/openid-configuration") == 2)
    }
}

extension LogtoWorld {
    /// An app's code, in the types of one error.
    func logtoOrFail(
        userAgent: any UserAgent,
        store: (any SecretStore)? = nil,
        pendingLifetime: Duration? = nil
    ) throws(SignInError) -> Logto {
        do {
            return try logto(userAgent: userAgent, store: store, pendingLifetime: pendingLifetime)
        } catch {
            throw error as? SignInError ?? SignInError(.discovery, .cancelled)
        }
    }
}

/// A store of a process that dies: it keeps what is written and never gets to remove anything.
struct LogtoKeepingStore: SecretStore {
    private let store: MemoryStore
    init(_ store: MemoryStore) { self.store = store }
    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await store.read(key) }
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await store.write(value, for: key)
    }
    func remove(_ key: StoreKey) async throws(StorageFailure) {}
}
