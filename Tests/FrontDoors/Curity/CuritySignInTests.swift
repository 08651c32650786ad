import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryCurity
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import Testing

@Suite("Curity: signing in")
struct CuritySignInTests {
    @Test("A server that offers pushed requests gets one, and the browser carries the reference alone")
    func pushedRequest() async throws {
        let world = try CurityWorld(offersPushedRequests: true)
        let session = try await world.start().signIn()
        #expect(session.identity?.subject == "alice-subject")
        let query = try #require(world.pages("/oauth/v2/oauth-authorize").first)
        #expect(query.names.map(\.rawValue).sorted() == ["client_id", "request_uri"])
    }

    @Test(
        "Everything is read from the metadata, and the request is that of the tutorial",
        .covers(.curity, rows: 1, 3, 4, 5, 6, 7, 20, 22, 23)
    )
    func request() async throws {
        let world = try CurityWorld()
        let session = try await world.start().signIn()
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.requests.first?.path == "/oauth/v2/oauth-anonymous/.well-known/openid-configuration")
        let client = try #require(try await world.start().registration()?.clientID)
        let query = try #require(world.pages("/oauth/v2/oauth-authorize").first)
        #expect(
            query.names.map(\.rawValue).sorted() == [
                "client_id", "code_challenge", "code_challenge_method", "nonce", "redirect_uri", "response_type",
                "scope", "state",
            ]
        )
        #expect(query[.clientID] == client && query[.redirectURI] == "io.curity.client:/callback")
        #expect(query[.responseType] == "code" && query[.scope] == "openid profile")
        #expect(query[.codeChallengeMethod] == "S256")
        for name in [Parameters.Name.state, .nonce, .codeChallenge] { #expect(query[name]?.count == 43) }
    }

    @Test("The metadata of another issuer is refused", .covers(.curity, rows: 2, cites: "C-12"))
    func otherIssuer() async throws {
        let world = try CurityWorld(scenario: .issuerMismatch)
        let curity = try world.start()
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.discovery, .mismatch(.metadataIssuer)))
        #expect(world.registrations.isEmpty)
    }

    @Test(
        "Extra parameters of the Curity front door are sent to the authorization endpoint",
        .covers(.curity, rows: 9, 10, 11)
    )
    func extraParameters() async throws {
        let world = try CurityWorld()
        let curity = try world.start()
        var request = curity.request
        request.authenticationContext = .preferred([CurityWorld.passwordContext])
        request.prompt = [.login]
        request.maximumAge = .seconds(600)
        request.loginHint = "alice"
        request.uiLocales = ["sv", "en"]
        request.additionalParameters = ["for_origin": "https://app.example.test"]
        let session = try await curity.signIn(request)
        #expect(session.identity?.claims["acr"] == .string(CurityWorld.passwordContext))
        let query = try #require(world.pages("/oauth/v2/oauth-authorize").first)
        #expect(query[.acrValues] == CurityWorld.passwordContext && query[.prompt] == "login")
        #expect(query[.maxAge] == "600" && query[.loginHint] == "alice" && query[.uiLocales] == "sv en")
        #expect(query["for_origin"] == "https://app.example.test")
    }

    @Test("An ID token without the required authentication context is rejected", .covers(.curity, rows: 11))
    func otherContext() async throws {
        let curity = try CurityWorld().start()
        var request = curity.request
        request.authenticationContext = .required(["urn:se:curity:authentication:webauthn"])
        let strict = request
        let error = await thrownError { () throws(SignInError) in try await curity.signIn(strict) }
        #expect(error == SignInError(.identity, .mismatch(.authenticationContext)))
    }

    @Test("An authentication older than max_age is rejected", .covers(.curity, rows: 11))
    func tooLongAgo() async throws {
        let curity = try CurityWorld(scenario: .staleAuthenticationTime).start()
        var request = curity.request
        request.maximumAge = .seconds(3600)
        let strict = request
        let error = await thrownError { () throws(SignInError) in try await curity.signIn(strict) }
        #expect(error == SignInError(.identity, .mismatch(.authenticationTime)))
    }

    @Test("A redirect's iss is accepted only when it names the issuer", .covers(.curity, rows: 8))
    func responseIssuer() async throws {
        let named = CurityDialect(sendsIssuer: true)
        #expect(try await CurityWorld(dialect: named).start().signIn().identity != nil)
        let curity = try CurityWorld(scenario: .invalidResponseIssuer, dialect: named).start()
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.redirect, .mismatch(.issuer)))
    }

    @Test("The query of the authorization endpoint stays", .covers(.curity, rows: 3, cites: "C-11"))
    func endpointQuery() async throws {
        let scenario = Scenario(name: "endpoint with a query") {
            $0.metadata = {
                $0["authorization_endpoint"] = .string(($0["authorization_endpoint"]?.string ?? "") + "?tenant=blue")
            }
        }
        let world = try CurityWorld(scenario: scenario)
        _ = try await world.start().signIn()
        let query = try #require(world.pages("/oauth/v2/oauth-authorize").first)
        #expect(query.pairs.first?.name == "tenant" && query["tenant"] == "blue" && query[.clientID] != nil)
    }

    @Test("An error with another state is not the server's", .covers(.curity, rows: 5, cites: "C-3"))
    func foreignError() async throws {
        let world = try CurityWorld()
        let attacker = ScriptedUserAgent { (_, redirectURI) throws(SignInError) in
            URL(string: "\(redirectURI)?error=access_denied&state=somebody-elses")!
        }
        let curity = try world.start(userAgent: attacker)
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.redirect, .mismatch(.state)))
    }

    @Test("A user who closes the browser keeps the earlier session and the registration", .covers(.curity, rows: 26))
    func cancelled() async throws {
        let world = try CurityWorld()
        let first = try await world.start().signIn()
        let closing = ScriptedUserAgent { (_, _) throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        let curity = try world.start(userAgent: closing)
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.authorization, .cancelled))
        #expect(try await world.start().restoreSession()?.identity == first.identity)
        #expect(world.registrations.count == 1)
    }

    @Test("A user who does not answer ends the sign-in at the browser deadline", .covers(.curity, rows: 26))
    func timeout() async throws {
        #expect(CurityConfiguration.defaultPolicy.browserDeadline == .seconds(300))
        let absent = ScriptedUserAgent { (_, _) async throws(SignInError) in
            for await _ in AsyncStream<Never>(unfolding: {
                try? await Task.sleep(for: .seconds(3600)); return nil
            }) {}
            throw SignInError(.authorization, .cancelled)
        }
        let curity = try CurityWorld().start(userAgent: absent) { $0.policy.browserDeadline = .zero }
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.authorization, .timedOut))
    }

    @Test("A second sign-in at the same time is refused", .covers(.curity, rows: 26))
    func alreadyInProgress() async throws {
        let world = try CurityWorld()
        let (arrived, arrival) = AsyncStream<Void>.makeStream()
        let (opened, gate) = AsyncStream<Void>.makeStream()
        let slow = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            arrival.yield()
            for await _ in opened {}
            return try await world.browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
        }
        let curity = try world.start(userAgent: slow)
        async let first = curity.signIn()
        for await _ in arrived { break }
        let error = await thrownError { () throws(SignInError) in try await curity.signIn() }
        #expect(error == SignInError(.authorization, .alreadyInProgress))
        gate.finish()
        #expect(try await first.identity != nil)
    }
}

@Suite("Curity: the ways back to the app")
struct CurityRedirectTests {
    /// The system's browser, which hands the redirect to the app as a URL.
    private func system(_ world: CurityWorld, _ redirects: ForwardedRedirects, _ noise: [String] = []) -> some UserAgent
    {
        ForwardingUserAgent(
            redirects,
            opening: { (url: URL) async throws(SignInError) in
                guard let query = FormURLEncoding.decode(url.query(percentEncoded: true) ?? ""),
                    let redirectURI = query[.redirectURI] ?? query[.postLogoutRedirectURI]
                else { throw SignInError(.authorization, .malformed("the page")) }
                let redirect = try await world.browser.attempt(awaiting: try RedirectURI(redirectURI)).open(
                    url,
                    accepting: .any
                )
                for text in noise { #expect(!redirects.handle(URL(string: text)!), "\(text) is not the answer.") }
                #expect(redirects.handle(redirect))
                #expect(!redirects.handle(redirect), "No answer comes twice.")
            }
        )
    }

    @Test(
        "A URL of another place, or with another state, is not taken and ends nothing",
        .covers(.curity, rows: 5, 20, 22, 23, cites: "C-3")
    )
    func customScheme() async throws {
        let world = try CurityWorld()
        let noise = [
            "io.curity.client:/other?code=c", "io.curity.client:/callback-evil?code=c",
            "io.curity.other:/callback?code=c",
            "io.curity.client:/callback?error=access_denied&state=other", "io.curity.client://evil/callback?code=c",
        ]
        let session = try await world.start(userAgent: system(world, ForwardedRedirects(), noise)).signIn()
        #expect(session.identity != nil)
        #expect(try await session.signOut().endedProviderSession)
    }

    @Test("An https redirect URI that the app claims signs in", .covers(.curity, rows: 21, cites: "C-10"))
    func claimed() async throws {
        let world = try CurityWorld()
        let agent = system(world, ForwardedRedirects(), ["http://app.example.test/callback?code=c"])
        let session = try await world.start(userAgent: agent) {
            $0.redirectURI = try RedirectURI("https://app.example.test/callback")
        }.signIn()
        #expect(session.identity != nil)
    }

    #if os(Linux) || os(macOS)
        @Test("A loopback redirect URI signs in a desktop app", .covers(.curity, rows: 48, cites: "C-14"))
        func loopback() async throws {
            let world = try CurityWorld()
            let browser = LoopbackBrowser(
                appName: "The app",
                opener: .custom { url in
                    let query = FormURLEncoding.decode(url.query(percentEncoded: true) ?? "")
                    let redirectURI = try RedirectURI(query?[.redirectURI] ?? "")
                    let redirect = try await world.browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
                    let web = URLSessionTransport()
                    let elsewhere = redirect.absoluteString.replacing("/callback?", with: "/other?")
                    let noise = try await web.send(EndpointRequest(url: try #require(URL(string: elsewhere))))
                    #expect(noise.status.code == 404)
                    _ = try await web.send(EndpointRequest(url: redirect))
                }
            )
            let session = try await world.start(userAgent: browser) {
                $0.redirectURI = try RedirectURI("http://127.0.0.1/callback")
                $0.postLogoutRedirectURI = nil
            }.signIn()
            #expect(session.identity != nil)
        }
    #endif

    /// The app is stopped while its page is open: the URL that it would have been opened with.
    private func interrupted(_ world: CurityWorld) async throws -> URL {
        let client = try await world.start().register().clientID
        let key = StoreKey.pending(issuer: try Issuer(CurityWorld.issuer), clientID: client)
        let kept = Lock<[UInt8]?>(nil)
        let redirect = Lock<URL?>(nil)
        let dying = ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
            let stored = try? await world.store.read(key)
            kept.withLock { $0 = stored }
            let answer = try await world.browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
            redirect.withLock { $0 = answer }
            throw SignInError(.authorization, .cancelled)
        }
        _ = try? await world.start(userAgent: dying).signIn()
        try await world.store.write(try #require(kept.withLock { $0 }), for: key)
        return try #require(redirect.withLock { $0 })
    }

    @Test("An answer that comes after a restart signs in, once", .covers(.curity, rows: 25))
    func resumed() async throws {
        let world = try CurityWorld()
        let url = try await interrupted(world)
        let curity = try world.start()
        let session = try #require(try await curity.resumeSignIn(from: url))
        #expect(session.identity?.subject == "alice-subject")
        #expect(try await curity.resumeSignIn(from: url) == nil)
        #expect(try await world.start().restoreSession() != nil)
    }

    @Test("An answer that comes after ten minutes is too late", .covers(.curity, rows: 25))
    func resumedTooLate() async throws {
        let world = try CurityWorld()
        let url = try await interrupted(world)
        world.clock.advance(by: .seconds(601))
        #expect(try await world.start().resumeSignIn(from: url) == nil)
    }

    @Test("Without a registration no answer is awaited", .covers(.curity, rows: 25))
    func nothingToResume() async throws {
        let url = try #require(URL(string: "io.curity.client:/callback?code=c&state=s"))
        #expect(try await CurityWorld().start().resumeSignIn(from: url) == nil)
    }
}
