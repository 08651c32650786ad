import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import Testing

@Suite("Redirects that the app is opened with", .timeLimit(.minutes(5)))
struct ForwardingTests {
    /// A pushed request: the page's URL shows no state.
    static let page = URL(string: "https://id.example.com/authorize?request_uri=urn%3Apushed&client_id=app")!
    static let answer = URL(string: "com.example.app:/callback?code=c&state=right")!
    static let predicate = RedirectPredicate { url in
        let states = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.filter { $0.name == "state" }
        return states?.map(\.value) == ["right"]
    }

    @Test("A forwarding user agent keeps every promise")
    func contract() async throws {
        let redirects = ForwardedRedirects()
        try await UserAgentCheck(
            redirectURI: RedirectURI("com.example.app:/callback"),
            reception: .listening { url in #expect(!redirects.handle(url)) }
        ) { person in
            ForwardingUserAgent(redirects) { url throws(SignInError) in
                Task { _ = redirects.handle(try await person.redirect(for: url)) }
            }
        }.run()
    }

    @Test("A handoff to an installed app keeps every promise")
    func handoffContract() async throws {
        let redirects = ForwardedRedirects()
        try await UserAgentCheck(
            redirectURI: RedirectURI("com.example.app:/callback"),
            reception: .listening { url in #expect(!redirects.handle(url)) }
        ) { person in
            AppHandoff(
                redirects,
                opener: { url in
                    Task { _ = redirects.handle(try await person.redirect(for: url)) }
                    return true
                },
                otherwise: ScriptedUserAgent { (_, _) throws(SignInError) in
                    throw SignInError(.authorization, .configuration("The app was there."))
                }
            )
        }.run()
    }

    @Test("A handoff to an app that is not installed keeps every promise of the browser's")
    func fallBackContract() async throws {
        try await UserAgentCheck(redirectURI: RedirectURI("com.example.app:/callback")) { person in
            AppHandoff(
                ForwardedRedirects(),
                opener: { _ in false },
                otherwise: ScriptedUserAgent { (url, _) async throws(SignInError) in
                    try await person.redirect(for: url)
                }
            )
        }.run()
    }

    @Test("A browser that also expects forwarded redirects keeps every promise of the browser's")
    func expectingContract() async throws {
        try await UserAgentCheck(redirectURI: RedirectURI("com.example.app:/callback")) { person in
            ScriptedUserAgent { (url, _) async throws(SignInError) in try await person.redirect(for: url) }
                .expecting(ForwardedRedirects())
        }.run()
    }

    @Test("A URL ends a user agent and the one inside it when both wait for it, and the same URL is not taken twice")
    func nested() async throws {
        let redirects = ForwardedRedirects()
        let opened = AsyncStream<Void>.makeStream()
        let agent = ForwardingUserAgent(redirects, opening: { _ throws(SignInError) in opened.continuation.yield() })
            .expecting(redirects)
        let attempt = try await agent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        let running = Task { try await attempt.open(Self.page, accepting: Self.predicate) }
        for await _ in opened.stream { break }
        #expect(redirects.handle(Self.answer))
        #expect(!redirects.handle(Self.answer))
        #expect(try await running.value == Self.answer)
    }

    @Test(
        "A URL that is no answer is left alone, and the sign-in goes on",
        arguments: [
            "com.example.app:/callback?code=c&state=wrong", "com.example.app:/callback?error=access_denied",
            "com.example.app:/callback-evil?code=c&state=right", "com.example.other:/callback?code=c&state=right",
            "com.example.app:/callback?code=c&state=right&state=wrong", "com.example.app:/callback?code=c&state=%FF",
            "https://example.com/",
        ]
    )
    func unrelated(_ text: String) async throws {
        let redirects = ForwardedRedirects()
        let other = try #require(URL(string: text))
        let isTaken = Lock<Bool?>(nil)
        let userAgent = ForwardingUserAgent(redirects) { _ throws(SignInError) in
            let taken = redirects.handle(other)
            isTaken.withLock { $0 = taken }
            _ = redirects.handle(Self.answer)
        }
        let attempt = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        #expect(try await attempt.open(Self.page, accepting: Self.predicate) == Self.answer)
        #expect(isTaken.withLock { $0 } == false)
    }

    @Test("A forwarded redirect is consumed once, and not without a waiting attempt")
    func once() async throws {
        let redirects = ForwardedRedirects()
        #expect(!redirects.handle(Self.answer))
        let taken = Lock<[Bool]>([])
        let userAgent = ForwardingUserAgent(redirects) { _ throws(SignInError) in
            for _ in 0..<2 {
                let isTaken = redirects.handle(Self.answer)
                taken.withLock { $0.append(isTaken) }
            }
        }
        _ = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback")).open(
            Self.page,
            accepting: Self.predicate
        )
        #expect(taken.withLock { $0 } == [true, false])
        #expect(!redirects.handle(Self.answer))
    }

    @Test("The page is closed when it was answered and when the sign-in is cancelled")
    func closing() async throws {
        let redirects = ForwardedRedirects()
        let closed = Lock(0)
        let shown = AsyncStream.makeStream(of: Void.self)
        let userAgent = ForwardingUserAgent(
            redirects,
            opening: { _ throws(SignInError) in shown.continuation.yield() },
            closing: { closed.withLock { $0 += 1 } }
        )
        let redirectURI = try RedirectURI("com.example.app:/callback")
        let opening = Task {
            try await userAgent.attempt(awaiting: redirectURI).open(Self.page, accepting: Self.predicate)
        }
        for await _ in shown.stream { break }
        opening.cancel()
        await #expect(throws: SignInError(.authorization, .cancelled)) { try await opening.value }
        #expect(closed.withLock { $0 } == 1)
        #expect(!redirects.handle(Self.answer))
    }

    @Test("The provider's app gets the rewritten URL, and the browser the plain one when the app is not there")
    func rewriting() async throws {
        let opened = Lock<[String]>([])
        let userAgent = AppHandoff(
            ForwardedRedirects(),
            opener: { url in
                opened.withLock { $0.append(url.absoluteString) }
                return false
            },
            rewriting: { URL(string: $0.absoluteString.replacing("id.example.com", with: "open.example.com")) },
            otherwise: ScriptedUserAgent { (url, _) throws(SignInError) in
                opened.withLock { $0.append(url.absoluteString) }
                return Self.answer
            }
        )
        let attempt = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        _ = try await attempt.open(Self.page, accepting: Self.predicate)
        #expect(
            opened.withLock { $0 } == [
                "https://open.example.com/authorize?request_uri=urn%3Apushed&client_id=app", Self.page.absoluteString,
            ]
        )
    }

    @Test("A redirect that the app is opened with ends the browser's page")
    func forwardedWhileBrowsing() async throws {
        let redirects = ForwardedRedirects()
        let ended = Lock(false)
        let userAgent = AppHandoff(
            redirects,
            opener: { _ in false },
            otherwise: ScriptedUserAgent { (_, _) async throws(SignInError) in
                _ = redirects.handle(Self.answer)
                try? await Task.sleep(for: .seconds(3600))
                ended.withLock { $0 = true }
                throw SignInError(.authorization, .cancelled)
            }
        )
        let attempt = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        #expect(try await attempt.open(Self.page, accepting: Self.predicate) == Self.answer)
        #expect(ended.withLock { $0 })
    }
}
