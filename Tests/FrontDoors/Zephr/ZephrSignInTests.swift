import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr
import Testing

@Suite("Zephr: social sign-in", .timeLimit(.minutes(5)))
struct ZephrSignInTests {
    @Test(
        "A registered reader is signed in once the site confirms the account",
        .covers(.zephr, rows: 5, 12, 18, 20, 38, cites: "Z-2")
    )
    func signedIn() async throws {
        let world = try ZephrWorld()
        let session = try #require(try await world.zephr().signIn(with: .google).session)
        #expect(world.script.requests.map { $0.url.path() } == ["/blaize/oauth/google", "/blaize/account"])
        #expect(try await session.account().emailAddress == "ada@reader.example")
    }

    @Test(
        "The redirect may be a link or a scheme, with or without an authority",
        .covers(.zephr, rows: 21, 22, 23),
        arguments: [ZephrWorld.link, ZephrWorld.scheme, "my-app://oauth/redirect", "http://127.0.0.1:4711/callback"]
    )
    func redirectURIs(_ redirectURI: String) async throws {
        let world = try ZephrWorld(redirectURI: redirectURI)
        #expect(try await world.zephr().signIn(with: .google).session != nil)
    }

    @Test("The start request names client_type=ios, has no session and no cookie", .covers(.zephr, rows: 12, 18))
    func startRequest() async throws {
        let world = try ZephrWorld()
        _ = try await world.session()
        _ = try await world.zephr().startURL(of: .google)
        let request = try #require(world.script.requests(to: "/blaize/oauth/google").first)
        #expect(request.url.absoluteString == "https://news.example.com/blaize/oauth/google?client_type=ios")
        #expect(request.method == .get)
        #expect(request.fields[.cookie] == nil)
    }

    @Test("The client type and the path prefix are configurable", .covers(.zephr, rows: 12))
    func otherPlace() async throws {
        let world = try ZephrWorld()
        world.script.answer("/zephr/oauth/google", 302, fields: [.location: "https://accounts.google.com/o?x=1"])
        var configuration = try ZephrConfiguration(
            site: try ZephrSite(ZephrWorld.base, prefix: "/zephr"),
            redirectURI: ZephrWorld.link
        )
        configuration.clientType = "android"
        let zephr = Zephr(
            configuration,
            userAgent: world.reader(),
            transport: world.script,
            store: MemoryStore(),
            clock: world.clock.device
        )
        #expect(try await zephr.startURL(of: .google).absoluteString == "https://accounts.google.com/o?x=1")
        #expect(world.script.requests.first?.url.query() == "client_type=android")
    }

    @Test(
        "The provider's page is read from each kind of redirect, which is not followed",
        .covers(.zephr, rows: 18, cites: "Z-7"),
        arguments: [302, 303, 307]
    )
    func locationIsRead(_ status: Int) async throws {
        let world = try ZephrWorld()
        let page = "https://accounts.google.com/o/oauth2/auth?state=s"
        world.script.answer("/blaize/oauth/google", status, fields: [.location: page])
        #expect(try await world.zephr().startURL(of: .google).absoluteString == page)
        #expect(world.script.requests.count == 1)
    }

    @Test("The provider's page is read from a JSON member", .covers(.zephr, rows: 18))
    func locationInJSON() async throws {
        let world = try ZephrWorld()
        world.script.answer("/blaize/oauth/google", 200, #"{"location":"https://accounts.google.com/o"}"#)
        #expect(try await world.zephr().startURL(of: .google).absoluteString == "https://accounts.google.com/o")
    }

    @Test(
        "A page that is not https on the provider's or the site's host is not opened",
        .covers(.zephr, rows: 18, 20),
        arguments: [
            "http://accounts.google.com/o", "javascript:alert(1)", "my-app:/x", "https://evil.example/o",
            "https://accounts.google.com.evil.example/o", "https://evilaccounts.google.com.example/",
            "https://accounts.google.com@evil.example/", "https://user@accounts.google.com/",
            #"https://accounts.google.com\@evil.example/"#, "//accounts.google.com/o", "/relative", "https://",
            "https://accounts.google.com/ x", "data:text/html,x", "http://news.example.com/o", "",
        ]
    )
    func untrustedLocation(_ location: String) async throws {
        let world = try ZephrWorld()
        world.script.answer("/blaize/oauth/google", 302, fields: [.location: location])
        let opened = Lock(false)
        let zephr = try world.zephr(
            userAgent: ScriptedUserAgent { _, _ throws(SignInError) in
                opened.withLock { $0 = true }
                throw SignInError(.authorization, .cancelled)
            }
        )
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.untrustedPage))
        #expect(!opened.withLock { $0 })
    }

    @Test(
        "Every provider's pages are accepted on its own hosts alone",
        .covers(.zephr, rows: 12, 18),
        arguments: [
            (ZephrProvider.google, "https://accounts.google.com/o"), (.facebook, "https://www.facebook.com/d"),
            (.linkedIn, "https://www.linkedin.com/o"), (.apple, "https://appleid.apple.com/auth"),
            (.microsoft, "https://login.microsoftonline.com/c"), (.twitter, "https://api.twitter.com/o"),
        ]
    )
    func providerHosts(_ provider: ZephrProvider, _ page: String) async throws {
        let world = try ZephrWorld()
        let path = "/blaize/oauth/\(provider.name)"
        world.script.answer(path, 302, fields: [.location: page])
        #expect(try await world.zephr().startURL(of: provider).absoluteString == page)
        let other: ZephrProvider = provider == .google ? .facebook : .google
        world.script.answer("/blaize/oauth/\(other.name)", 302, fields: [.location: page])
        let zephr = try world.zephr()
        #expect(
            await thrownError { () throws(ZephrError) in try await zephr.startURL(of: other) }
                == ZephrError(.untrustedPage)
        )
    }

    @Test("A site's own provider names the hosts of its pages", .covers(.zephr, rows: 12))
    func ownProvider() async throws {
        let world = try ZephrWorld()
        world.script.answer("/blaize/oauth/mitaa", 302, fields: [.location: "https://id.mitaa.example/o"])
        let zephr = try world.zephr()
        let known = try ZephrProvider("mitaa", hosts: ["ID.mitaa.example"])
        #expect(try await zephr.startURL(of: known).host() == "id.mitaa.example")
        let unknown = try ZephrProvider("mitaa")
        #expect(
            await thrownError { () throws(ZephrError) in try await zephr.startURL(of: unknown) }
                == ZephrError(.untrustedPage)
        )
    }

    @Test(
        "A provider's name with a path or other characters is refused",
        .covers(.zephr, rows: 12, cites: "Z-8"),
        arguments: ["", "../admin", "a/b", "a?b", "Google", "a b", "é", "a%2Fb", String(repeating: "a", count: 65)]
    )
    func providerNames(_ name: String) {
        #expect(
            throws: ZephrError(.configuration("A provider's name is small letters, digits, hyphens and underscores."))
        ) { try ZephrProvider(name) }
    }

    @Test("A provider that the site does not have fails as unknownProvider", .covers(.zephr, rows: 12))
    func unknownProvider() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr()
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .linkedIn) }
        #expect(error == ZephrError(.unknownProvider))
    }

    @Test(
        "A site on this machine may open its own http pages, and no others",
        .covers(.zephr, rows: 18)
    )
    func siteOnThisMachine() async throws {
        let world = try ZephrWorld()
        let configuration = try ZephrConfiguration(
            site: try ZephrSite("http://127.0.0.1:8080"),
            redirectURI: ZephrWorld.scheme
        )
        let zephr = Zephr(configuration, userAgent: world.reader(), transport: world.script, store: MemoryStore())
        let page = "http://127.0.0.1:8080/zephr/oauth2?state=s"
        world.script.answer("/blaize/oauth/google", 302, fields: [.location: page])
        #expect(try await zephr.startURL(of: .google).absoluteString == page)
        for other in ["http://localhost:8080/", "http://accounts.google.com/"] {
            world.script.answer("/blaize/oauth/google", 302, fields: [.location: other])
            let error = await thrownError { () throws(ZephrError) in try await zephr.startURL(of: .google) }
            #expect(error == ZephrError(.untrustedPage))
        }
    }

    @Test("A page in place of a location means that the provider is not set up", .covers(.zephr, rows: 18))
    func notConfigured() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr()
        world.script.answer("/blaize/oauth/google", 200, "<html>", mediaType: "text/html")
        #expect(
            await thrownError { () throws(ZephrError) in try await zephr.startURL(of: .google) }
                == ZephrError(.providerNotConfigured)
        )
        world.script.answer("/blaize/oauth/google", 302)
        #expect(
            await thrownError { () throws(ZephrError) in try await zephr.startURL(of: .google) }
                == ZephrError(.providerNotConfigured)
        )
    }

    @Test("A start that fails opens no page and releases the user agent", .covers(.zephr, rows: 20, 26))
    func startFails() async throws {
        let world = try ZephrWorld()
        world.script.lose("/blaize/oauth/google")
        let abandoned = Lock(0)
        let zephr = try world.zephr(userAgent: ZephrCountingAgent { abandoned.withLock { $0 += 1 } })
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.transport(.unreachable)))
        #expect(abandoned.withLock { $0 } == 1)
    }

    @Test(
        "A user who denies the sign-in at the provider is reported as such",
        .covers(.zephr, rows: 20)
    )
    func denied() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr(answer: .deny)
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.refused(.accessDenied)))
        #expect(try await world.stored() == nil)
    }

    @Test(
        "A session that the site does not confirm is rejected and not stored",
        .covers(.zephr, rows: 5, cites: "Z-2")
    )
    func unconfirmed() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr(
            userAgent: ZephrWorld.answering("action=login&status=success&tracking_id=1234&session_id=1234")
        )
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.sessionNotConfirmed))
        #expect(world.store.calls(of: .write) == 0)
    }

    @Test(
        "Without the site's confirmation no session is stored, and the earlier one stays",
        .covers(.zephr, rows: 5, 53, cites: "Z-2")
    )
    func confirmationLost() async throws {
        let world = try ZephrWorld()
        _ = try await world.session()
        let before = try await world.stored()
        world.script.lose("/blaize/account", .timedOut)
        let zephr = try world.zephr()
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.transport(.timedOut)))
        #expect(try await world.stored() == before)
    }

    @Test(
        "A sign-in of another account than the expected one is refused, and its session ended",
        .covers(.zephr, rows: 5, 38, cites: "Z-2")
    )
    func otherAccount() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr()
        let error = await thrownError { () throws(ZephrError) in
            try await zephr.signIn(with: .google, expecting: "grace@reader.example")
        }
        #expect(error == ZephrError(.otherAccount))
        #expect(world.dialect.sessionCount == 0)
        #expect(try await world.stored() == nil)
        let outcome = try await zephr.signIn(with: .google, expecting: "Ada@Reader.Example")
        #expect(outcome.session != nil)
    }

    @Test(
        "A second sign-in at once is refused, and a URL without an outcome does not end the first",
        .covers(.zephr, rows: 21, 26, cites: "Z-2")
    )
    func oneAtATime() async throws {
        let world = try ZephrWorld()
        let redirects = ForwardedRedirects()
        let pages = AsyncStream<URL>.makeStream()
        let zephr = try world.zephr(
            userAgent: ForwardingUserAgent(redirects, opening: { pages.continuation.yield($0) }),
            redirects: redirects
        )
        let first = Task { try await zephr.signIn(with: .google) }
        for await page in pages.stream {
            let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
            #expect(error == ZephrError(.alreadyInProgress))
            for other in ["?action=login&status=success", "?error=access_denied", "-evil?action=login&status=failure"] {
                #expect(
                    !zephr.handle(URL(string: ZephrWorld.link + other)!),
                    "It is left alone, and so is the sign-in."
                )
            }
            let redirect = try await world.reader().attempt(awaiting: try RedirectURI(ZephrWorld.link)).open(
                page,
                accepting: .any
            )
            #expect(zephr.handle(redirect))
            #expect(!zephr.handle(redirect))
            break
        }
        #expect(try await first.value.session != nil)
    }

    @Test("A redirect is consumed only while a sign-in waits for it", .covers(.zephr, rows: 5, 21, cites: "Z-2"))
    func nothingWaits() async throws {
        let world = try ZephrWorld()
        let query = "?action=login&status=success&tracking_id=1&session_id=attacker"
        #expect(!(try world.zephr()).handle(URL(string: ZephrWorld.link + query)!))
        #expect(world.script.requests.isEmpty)
    }

    @Test(
        "A redirect without the redirect URI's own query is rejected by the Zephr front door",
        .covers(.zephr, rows: 5, cites: "Z-2")
    )
    func markedRedirect() async throws {
        let world = try ZephrWorld(redirectURI: ZephrWorld.link + "?mark=hard-to-guess")
        #expect(try await world.zephr().signIn(with: .google).session != nil)
        let zephr = try world.zephr(
            userAgent: ZephrWorld.answering("action=login&status=success&session_id=1", at: ZephrWorld.link)
        )
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.mismatch(.redirectURI)))
    }

    @Test(
        "A user who closes the page cancels, and the next sign-in can begin",
        .covers(.zephr, rows: 26)
    )
    func closed() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr(
            userAgent: ScriptedUserAgent { _, _ throws(SignInError) in throw SignInError(.authorization, .cancelled) }
        )
        for _ in 0..<2 {
            let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
            #expect(error == ZephrError(.cancelled))
        }
    }

    @Test("A page without an answer ends the sign-in at the deadline", .covers(.zephr, rows: 26, cites: "Z-2"))
    func timeout() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr(
            userAgent: ScriptedUserAgent { _, _ throws(SignInError) in
                try? await Task.sleep(for: .seconds(60))
                throw SignInError(.authorization, .cancelled)
            },
            change: { $0.browserDeadline = .milliseconds(1) }
        )
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.timedOut))
    }

    @Test("Cancelling the task of a sign-in closes the page", .covers(.zephr, rows: 26))
    func cancelledTask() async throws {
        let world = try ZephrWorld()
        let opened = AsyncStream<Void>.makeStream()
        let closed = Lock(0)
        let zephr = try world.zephr(
            userAgent: ForwardingUserAgent(
                ForwardedRedirects(),
                opening: { _ in opened.continuation.yield() },
                closing: { closed.withLock { $0 += 1 } }
            )
        )
        let running = Task { await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) } }
        for await _ in opened.stream { break }
        running.cancel()
        #expect(await running.value == ZephrError(.cancelled))
        #expect(closed.withLock { $0 } == 1)
    }

    @Test("A page that cannot be opened is reported", .covers(.zephr, rows: 20))
    func presentation() async throws {
        let world = try ZephrWorld()
        let zephr = try world.zephr(
            userAgent: ScriptedUserAgent { _, _ throws(SignInError) in
                throw SignInError(.authorization, .configuration("There is no window."))
            }
        )
        let error = await thrownError { () throws(ZephrError) in try await zephr.signIn(with: .google) }
        #expect(error == ZephrError(.presentationFailed))
    }

    @Test(
        "A page on the provider's own host is presented, and on an unlisted host it is not",
        .covers(.zephr, rows: 12, 20)
    )
    func pagesOfProviders() async throws {
        let google = try Issuer("https://accounts.google.com")
        let world = try ZephrWorld { $0.pageOrigins = ["google": google] }
        let reader = HTTPUserAgent(
            transport: ZephrProviderHosts(network: world.network),
            credentials: .init(name: "ada", password: Secret(ZephrWorld.password)),
            clock: world.clock.device
        )
        let zephr = try world.zephr(userAgent: reader)
        #expect(try await zephr.startURL(of: .google).host() == "accounts.google.com")
        guard case .session(let session) = try await zephr.signIn(with: .google) else {
            Issue.record("ada is registered")
            return
        }
        #expect(try await session.account().emailAddress == "ada@reader.example")
        let unknown = try ZephrProvider("google")
        await #expect(throws: ZephrError(.untrustedPage)) { try await zephr.signIn(with: unknown) }
        let named = try ZephrProvider.named("google", addingHosts: ["google.example"])
        #expect(try await zephr.startURL(of: named).host() == "accounts.google.com")
    }
}

/// A user agent that counts how often an attempt is given back.
private struct ZephrCountingAgent: UserAgent {
    let abandon: @Sendable () -> Void

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            open: { (_: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                throw SignInError(.authorization, .timedOut)
            },
            abandon: { abandon() }
        )
    }
}

/// A network on which the social provider's host leads to the site, which plays the provider.
private struct ZephrProviderHosts: HTTPTransport {
    let network: InProcessProvider

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let host = "https://accounts.google.com"
        func moved(_ text: String) -> String { text.replacing(host, with: ZephrWorld.base) }
        guard request.url.absoluteString.hasPrefix(host) else { return try await network.send(request) }
        var request = request
        if let url = URL(string: moved(request.url.absoluteString)) { request.url = url }
        for name in [HTTPField.Name.origin, .referer] { request.fields[name] = request.fields[name].map(moved) }
        let response = try await network.send(request)
        // The provider's forms and pages are on its own host, where its cookies are.
        let page = String(decoding: response.body, as: UTF8.self)
            .replacing("action=\"\(ZephrWorld.base)", with: "action=\"\(host)")
        var fields = response.fields
        fields[.location] = fields[.location]
            .map { $0.replacing(ZephrWorld.base + "/zephr/oauth2", with: host + "/zephr/oauth2") }
        return EndpointResponse(status: response.status, fields: fields, body: Array(page.utf8))
    }
}
