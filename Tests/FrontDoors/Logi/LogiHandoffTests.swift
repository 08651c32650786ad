import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryLogi
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("The provider's app first, the browser second")
struct LogiHandoffTests {
    @Test(
        "The app is tried on its own host, with the same query octet by octet, and no browser opens",
        .covers(.logi, rows: 19)
    )
    func native() async throws {
        let world = try LogiWorld()
        let session = try await world.logi(opener: world.nativeApp()).signIn()
        let opened = try #require(world.app.values.first?.absoluteString)
        #expect(opened.hasPrefix("https://open.1pass.dev/oauth/authorize?"))
        #expect(world.browser.pages.values.isEmpty)
        #expect(session.identity?.subject == "8c1f0a52-mina")
    }

    @Test(
        "Without the app the browser opens on the issuer's host, with the same query octet by octet",
        .covers(.logi, rows: 19, 20)
    )
    func fallback() async throws {
        let world = try LogiWorld()
        let app = world.app
        _ = try await world.logi(opener: { url in
            app.add(url)
            return false
        }).signIn()
        let native = try #require(app.values.first?.absoluteString)
        let web = try #require(world.browser.pages.values.first?.absoluteString)
        #expect(web.hasPrefix("https://api.1pass.dev/oauth/authorize?"))
        #expect(native == web.replacing("https://api.1pass.dev/", with: "https://open.1pass.dev/"))
        #expect(app.values.count == 1 && world.browser.pages.values.count == 1)
    }

    @Test(
        "The app's host is derived for the vendor's issuer alone, unless the configuration names one",
        .covers(.logi, rows: 19),
        arguments: [
            ("https://api.1pass.dev", nil, "open.1pass.dev"), ("https://api.1pass.dev/", nil, "open.1pass.dev"),
            ("https://api.1pass.dev:443", nil, "open.1pass.dev"), ("https://api.1pass.dev", "", "open.1pass.dev"),
            ("https://api.1pass.dev:8443", nil, "api.1pass.dev"), ("https://api.1pass.dev/x", nil, "api.1pass.dev"),
            ("https://staging.example.com", nil, "staging.example.com"),
            ("https://staging.example.com", "open.example.com", "open.example.com"),
            ("https://api.1pass.dev", "other.example.com", "other.example.com"),
        ] as [(String, String?, String)]
    )
    func host(issuer: String, explicit: String?, expected: String) throws {
        let configuration = try LogiConfiguration(
            clientID: "logi_x",
            redirectURI: "myapp://callback",
            issuer: issuer,
            nativeAuthorizeHost: explicit
        )
        #expect(configuration.nativeHost.description == expected)
    }

    @Test(
        "A native host with a scheme, path, port or user is a configuration error",
        .covers(.logi, rows: 19),
        arguments: ["https://open.1pass.dev", "open.1pass.dev/x", "open.1pass.dev:443", "user@open.1pass.dev", "a b"]
    )
    func badHost(host: String) {
        #expect(throws: SignInError.self) {
            try LogiConfiguration(clientID: "logi_x", redirectURI: "myapp://callback", nativeAuthorizeHost: host)
        }
    }

    @Test("Only the host of an https URL is exchanged", .covers(.logi, rows: 19))
    func rewriting() throws {
        let host = try LogiConfiguration(clientID: "logi_x", redirectURI: "myapp://callback").nativeHost
        func rewritten(_ text: String) throws -> String? {
            host.rewriting(try #require(URL(string: text)))?.absoluteString
        }
        #expect(
            try rewritten("https://api.1pass.dev:8443/a%2Fb/?x=https://api.1pass.dev&y=%20+;z")
                == "https://open.1pass.dev:8443/a%2Fb/?x=https://api.1pass.dev&y=%20+;z"
        )
        #expect(try rewritten("https://[::1]:8443/a") == "https://open.1pass.dev:8443/a")
        #expect(try rewritten("https://api.1pass.dev") == "https://open.1pass.dev")
        #expect(try rewritten("http://127.0.0.1:8080/oauth/authorize?state=s") == nil)
        #expect(try rewritten("https://user@api.1pass.dev/") == nil)
        #expect(try rewritten("mailto:mina@example.com") == nil)
    }

    @Test(
        "A URL with another state is not consumed, and the sign-in goes on to its own answer",
        .covers(.logi, rows: 5, 22, cites: "L-17")
    )
    func foreignState() async throws {
        let world = try LogiWorld()
        let opened = AsyncStream<URL>.makeStream()
        let logi = try world.logi(opener: { url in
            opened.continuation.yield(url)
            return true
        })
        async let signedIn = logi.signIn()
        var pages = opened.stream.makeAsyncIterator()
        let page = try #require(await pages.next())
        let state = try #require(page.logiQuery[.state])
        let redirect = LogiWorld.redirectURI
        for foreign in [
            "\(redirect)?error=access_denied&state=wrong", "\(redirect)?code=c&state=wrong", "\(redirect)?code=c",
            "\(redirect)?code=c&state=\(state)&state=wrong", "\(redirect)-evil?code=c&state=\(state)",
            "myapp://oauth/1pass?code=c&state=\(state)", "myapp://other/1pass/callback?code=c&state=\(state)",
            "otherapp://oauth/1pass/callback?code=c&state=\(state)", "https://app.example.com/links/42",
        ] {
            #expect(!logi.handle(try #require(URL(string: foreign))))
        }
        let browser = LogiBrowser(world.network, world.clock, "mina")
        let web = try #require(URL(string: page.absoluteString.replacing("open.1pass.dev", with: "api.1pass.dev")))
        let answer = try await browser.attempt(awaiting: try RedirectURI(redirect)).open(web, accepting: .any)
        #expect(logi.handle(answer))
        #expect(!logi.handle(answer))
        #expect(try await signedIn.identity?.subject == "8c1f0a52-mina")
        #expect(!logi.handle(answer))
    }

    @Test("An error with the right state ends the sign-in in the server's words", .covers(.logi, rows: 5, cites: "L-4"))
    func refusal() async throws {
        let world = try LogiWorld()
        let redirects = world.redirects
        let logi = try world.logi(opener: { url in
            let state = url.logiQuery[.state] ?? ""
            let text = "\(LogiWorld.redirectURI)?error=access_denied&error_description=No%20thanks&state=\(state)"
            return URL(string: text).map { redirects.handle($0) } ?? false
        })
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
                == SignInError(
                    .redirect,
                    .refused(OAuthError(code: .accessDenied, description: "No thanks"))
                )
        )
    }

    @Test(
        "A redirect that arrives before the app switch has ended is accepted",
        .covers(.logi, rows: 19, 26)
    )
    func fastAnswer() async throws {
        // The app of this world answers inside the call that opens it.
        let world = try LogiWorld()
        let session = try await world.logi(opener: world.nativeApp("jun")).signIn()
        #expect(session.identity?.subject == "5b7e9d31-jun")
    }

    @Test(
        "A second sign-in is refused while one is under way, which goes on",
        .covers(.logi, rows: 26)
    )
    func second() async throws {
        let world = try LogiWorld()
        let browser = LogiWaitingBrowser()
        let logi = try world.logi(browser: browser)
        async let first = logi.signIn()
        let page = try #require(await browser.nextPage())
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
                == SignInError(.authorization, .alreadyInProgress)
        )
        let start = try LogiStartURL(try #require(URL(string: "https://rp.example.com/start?state=s")))
        #expect(
            await thrownError { () async throws(SignInError) in _ = try await logi.authorize(start) }
                == SignInError(.authorization, .alreadyInProgress)
        )
        browser.answer(
            try await world.browser.attempt(awaiting: try RedirectURI(LogiWorld.redirectURI)).open(
                page,
                accepting: .any
            )
        )
        #expect(try await first.identity?.subject == "8c1f0a52-mina")
        #expect(logi.currentFlow == nil)
    }

    @Test("Cancelling a flow ends that one, and never a later one", .covers(.logi, rows: 26))
    func cancelling() async throws {
        let world = try LogiWorld()
        let browser = LogiWaitingBrowser()
        let logi = try world.logi(browser: browser)
        let first = Task { () async -> SignInError? in
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        }
        _ = await browser.nextPage()
        let flow = try #require(logi.currentFlow)
        #expect(flow.leg == .web)
        #expect(logi.cancel(flow))
        #expect(await first.value == SignInError(.authorization, .cancelled))
        #expect(logi.currentFlow == nil && !logi.cancel(flow))

        let again = Task { () async -> SignInError? in
            await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
        }
        _ = await browser.nextPage()
        #expect(!logi.cancel(flow))
        let later = try #require(logi.currentFlow)
        #expect(later.id != flow.id)
        again.cancel()
        #expect(await again.value == SignInError(.authorization, .cancelled))
        #expect(logi.currentFlow == nil)
    }

    @Test(
        "A user who left the app without a redirect has cancelled, and one in the browser has not",
        .covers(.logi, rows: 19, 26)
    )
    func abandoned() async throws {
        let world = try LogiWorld()
        let opened = AsyncStream<URL>.makeStream()
        let native = try world.logi(opener: { url in
            opened.continuation.yield(url)
            return true
        })
        let left = Task { () async -> SignInError? in
            await thrownError { () async throws(SignInError) in _ = try await native.signIn() }
        }
        var pages = opened.stream.makeAsyncIterator()
        _ = await pages.next()
        #expect(native.currentFlow?.leg == .native)
        let before = world.clock.now
        #expect(await native.cancelAbandonedHandoff())
        #expect(world.clock.now.timeIntervalSince(before) == 2)
        #expect(await left.value == SignInError(.authorization, .cancelled))
        #expect(await !native.cancelAbandonedHandoff())

        let browser = LogiWaitingBrowser()
        let web = try world.logi(browser: browser)
        let staying = Task { () async -> SignInError? in
            await thrownError { () async throws(SignInError) in _ = try await web.signIn() }
        }
        _ = await browser.nextPage()
        #expect(await !web.cancelAbandonedHandoff())
        #expect(web.currentFlow?.leg == .web)
        staying.cancel()
        #expect(await staying.value == SignInError(.authorization, .cancelled))
    }

    @Test("A redirect within two seconds of the return completes the sign-in", .covers(.logi, rows: 26))
    func lateAnswer() async throws {
        let world = try LogiWorld()
        let opened = AsyncStream<URL>.makeStream()
        let answered = AsyncStream<Void>.makeStream()
        let clock = world.clock
        let device = DeviceClock(
            now: { clock.now },
            uptime: { clock.now.timeIntervalSince1970 },
            sleep: { _ in
                var iterator = answered.stream.makeAsyncIterator()
                _ = await iterator.next()
            }
        )
        let logi = try world.logi(
            opener: { url in
                opened.continuation.yield(url)
                return true
            },
            clock: device
        )
        let signIn = Task { try await logi.signIn() }
        var pages = opened.stream.makeAsyncIterator()
        let page = try #require(await pages.next())
        async let watched = logi.cancelAbandonedHandoff()
        let web = try #require(URL(string: page.absoluteString.replacing("open.1pass.dev", with: "api.1pass.dev")))
        let answer = try await world.browser.attempt(awaiting: try RedirectURI(LogiWorld.redirectURI)).open(
            web,
            accepting: .any
        )
        #expect(logi.handle(answer))
        let session = try await signIn.value
        answered.continuation.yield()
        #expect(await !watched)
        #expect(session.identity?.subject == "8c1f0a52-mina")
    }

    @Test(
        "The sign-in ends at its deadline, in the app and in the browser",
        .covers(.logi, rows: 26)
    )
    func deadline() async throws {
        let world = try LogiWorld()
        var configuration = try world.configuration()
        configuration.deadline = .milliseconds(20)
        for opener in [{ _ in true }, nil] as [Logi.Opener?] {
            let logi = try world.logi(configuration, browser: LogiWaitingBrowser(), opener: opener)
            let error = await thrownError { () async throws(SignInError) in _ = try await logi.signIn() }
            #expect(error == SignInError(.authorization, .timedOut))
            #expect(LogiAuthError(try #require(error)) == .handoffTimeout)
            #expect(logi.currentFlow == nil)
        }
    }

    @Test(
        "With a pending lifetime a sign-in is finished after a restart, once, until it expires",
        .covers(.logi, rows: 25)
    )
    func restart() async throws {
        for (age, isFinished) in [(Duration.seconds(599), true), (.seconds(601), false)] {
            let world = try LogiWorld()
            var configuration = try world.configuration()
            configuration.pendingLifetime = .seconds(3600)
            #expect(configuration.pendingLifetime == .seconds(600))
            let browser = LogiWaitingBrowser()
            let before = try world.logi(configuration, browser: browser)
            let ended = Task { try? await before.signIn() }
            let page = try #require(await browser.nextPage())
            // The process ends here: what it had in memory is not used again.
            let answer = try await world.browser.attempt(awaiting: try RedirectURI(LogiWorld.redirectURI)).open(
                page,
                accepting: .any
            )
            let after = try world.logi(
                configuration,
                redirects: ForwardedRedirects(),
                store: StoreOfAnotherProcess(world.store)
            )
            #expect(!after.handle(answer))
            world.clock.advance(by: isFinished ? .seconds(30) : age)
            let session = try await after.resumeSignIn(from: answer)
            #expect((session != nil) == isFinished)
            #expect(try await after.resumeSignIn(from: answer) == nil)
            ended.cancel()
            _ = await ended.value
        }
    }

    @Test("Without a pending lifetime nothing of a sign-in in progress is stored", .covers(.logi, rows: 25))
    func memoryOnly() async throws {
        let world = try LogiWorld()
        let browser = LogiWaitingBrowser()
        let logi = try world.logi(browser: browser)
        let task = Task { try? await logi.signIn() }
        let page = try #require(await browser.nextPage())
        #expect(world.store.calls(of: .write) == 0)
        let answer = try await world.browser.attempt(awaiting: try RedirectURI(LogiWorld.redirectURI)).open(
            page,
            accepting: .any
        )
        #expect(try await world.logi().resumeSignIn(from: answer) == nil)
        task.cancel()
        _ = await task.value
    }
}
