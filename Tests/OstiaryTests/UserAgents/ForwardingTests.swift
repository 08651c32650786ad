import Foundation
import Ostiary
import OstiaryTesting
import Synchronization
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

    @Test("A handoff to an app that is there keeps every promise")
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

    @Test("A handoff to an app that is not there keeps every promise of the browser's")
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
        let isTaken = Mutex<Bool?>(nil)
        let userAgent = ForwardingUserAgent(redirects) { _ throws(SignInError) in
            let taken = redirects.handle(other)
            isTaken.withLock { $0 = taken }
            _ = redirects.handle(Self.answer)
        }
        let attempt = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        #expect(try await attempt.open(Self.page, accepting: Self.predicate) == Self.answer)
        #expect(isTaken.withLock { $0 } == false)
    }

    @Test("A redirect is taken once, and by nobody when nobody waits")
    func once() async throws {
        let redirects = ForwardedRedirects()
        #expect(!redirects.handle(Self.answer))
        let taken = Mutex<[Bool]>([])
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
        let closed = Mutex(0)
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
        let opened = Mutex<[String]>([])
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
        let ended = Mutex(false)
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
