public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Checks that a user agent keeps the promises of `UserAgent`.
///
/// The check plays the server and the user: it opens URLs of its own and decides the redirect of each. The test
/// connects the user agent to it, by a browser, a transport or a script.
///
///     let check = UserAgentCheck(redirectURI: try RedirectURI("http://127.0.0.1/callback")) { user in
///         ScriptedUserAgent { url, _ in try await user.redirect(for: url) }
///     }
///     try await check.run()
public struct UserAgentCheck: Sendable {
    /// The number of attempts that a user agent can have open.
    public enum Attempts: Sendable {
        /// Any number of attempts.
        case several
        /// One, as one user at one terminal can answer.
        case oneAtATime
    }

    /// The way in which a user agent gets the redirect.
    public enum Reception: Sendable {
        /// It gets one URL, such as the one that is pasted or that ends a sheet, and returns it, whatever it is.
        case oneURL
        /// It can continue to listen, and drops any other URL than the response.
        ///
        /// `deliver` sends it a URL, as a browser that follows a redirect would; called while an attempt is open.
        case listening(deliver: @Sendable (URL) async throws -> Void)
    }

    let redirectURI: RedirectURI
    let attempts: Attempts
    let reception: Reception
    private let interfere: (@Sendable (RedirectURI) async throws -> Void)?
    let make: @Sendable (User) -> any UserAgent

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - redirectURI: A URI that the user agent can receive at.
    ///   - attempts: The number of attempts that it can have open. Default: several.
    ///   - reception: The way it receives the redirect. Default: it gets one URL.
    ///   - interfere: Sends another URL than the response to the redirect URI; called while an attempt is open. Without
    ///     it, interference is not checked.
    ///   - make: Makes a user agent that presents its pages to this simulated user.
    public init(
        redirectURI: RedirectURI,
        attempts: Attempts = .several,
        reception: Reception = .oneURL,
        interfere: (@Sendable (RedirectURI) async throws -> Void)? = nil,
        make: @escaping @Sendable (User) -> any UserAgent
    ) {
        self.redirectURI = redirectURI
        self.attempts = attempts
        self.reception = reception
        self.interfere = interfere
        self.make = make
    }

    /// Checks every promise.
    ///
    /// - Throws: ``BrokenPromise``.
    public func run() async throws {
        try await checkAnswer()
        try await checkTwoAttempts()
        try await checkCancelling()
        try await checkAbandoning()
        try await checkAgain()
        try await checkInterference()
        try await checkPredicate()
    }

    // MARK: The promises

    private func checkAnswer() async throws {
        let promise = "An attempt returns the redirect unchanged."
        let attempt = try await attempt(of: make(User()), at: redirectURI, promise)
        try checkRedirectURI(of: attempt)
        let page = Page(redirectURI: attempt.redirectURI, state: "one")
        try expect(try await open(page, in: attempt, promise), page.redirect, promise)
    }

    private func checkRedirectURI(of attempt: UserAgentAttempt) throws {
        let promise = "The attempt's redirect URI is the requested one; a loopback URI without a port may get one."
        if attempt.redirectURI == redirectURI { return }
        guard redirectURI.isLoopback, redirectURI.port == nil, let port = attempt.redirectURI.port,
            attempt.redirectURI == redirectURI.withPort(port)
        else { throw BrokenPromise(promise, found: attempt.redirectURI.description) }
    }

    private func checkTwoAttempts() async throws {
        let promise = "Two attempts at one time get their own redirects."
        // A fixed port can be taken once.
        guard attempts == .several, !redirectURI.isLoopback || redirectURI.port == nil else { return }
        let userAgent = make(User())
        let first = try await attempt(of: userAgent, at: redirectURI, promise)
        let second = try await attempt(of: userAgent, at: redirectURI, promise)
        let pages = [
            Page(redirectURI: first.redirectURI, state: "one"), Page(redirectURI: second.redirectURI, state: "two"),
        ]
        async let firstAnswer = open(pages[0], in: first, promise)
        async let secondAnswer = open(pages[1], in: second, promise)
        let answers = try await (firstAnswer, secondAnswer)
        try expect(answers.0, pages[0].redirect, promise)
        try expect(answers.1, pages[1].redirect, promise)
    }

    private func checkCancelling() async throws {
        let promise = "Cancelling the task ends an attempt as cancelled, and what it took is free again."
        let user = User(.leaving)
        let attempt = try await attempt(of: make(user), at: redirectURI, promise)
        let page = Page(redirectURI: attempt.redirectURI, state: "one")
        let opening = Task { () -> Result<URL, SignInError> in
            do throws(SignInError) {
                return .success(try await attempt.open(page.url, accepting: page.predicate))
            } catch {
                return .failure(error)
            }
        }
        await user.looked()
        opening.cancel()
        let ended = OneAnswer<Result<URL, SignInError>?>()
        Task { ended.set(await opening.value) }
        let limit = Task {
            try await Task.sleep(for: .seconds(30))
            ended.set(nil)
        }
        defer { limit.cancel() }
        switch await ended.value() {
        case .failure(SignInError(.authorization, .cancelled))?: break
        case .failure(let error)?: throw BrokenPromise(promise, found: error.description)
        case .success?: throw BrokenPromise(promise, found: "a redirect that did not arrive")
        case nil: throw BrokenPromise(promise, found: "it still runs half a minute later")
        }
        try await answerAgain(at: attempt.redirectURI, promise)
    }

    private func checkAbandoning() async throws {
        let promise = "An abandoned attempt frees what it took."
        let attempt = try await attempt(of: make(User()), at: redirectURI, promise)
        await attempt.abandon()
        try await answerAgain(at: attempt.redirectURI, promise)
    }

    private func checkAgain() async throws {
        let promise = "After a redirect, a user agent can make another attempt at the same redirect URI."
        let userAgent = make(User())
        let first = try await attempt(of: userAgent, at: redirectURI, promise)
        let firstPage = Page(redirectURI: first.redirectURI, state: "one")
        try expect(try await open(firstPage, in: first, promise), firstPage.redirect, promise)
        let second = try await attempt(of: userAgent, at: first.redirectURI, promise)
        let secondPage = Page(redirectURI: second.redirectURI, state: "two")
        try expect(try await open(secondPage, in: second, promise), secondPage.redirect, promise)
    }

    private func checkInterference() async throws {
        guard let interfere else { return }
        let promise = "A request other than a redirect does not end an attempt."
        let user = User(.waiting)
        let attempt = try await attempt(of: make(user), at: redirectURI, promise)
        let page = Page(redirectURI: attempt.redirectURI, state: "one")
        async let answer = open(page, in: attempt, promise)
        await user.looked()
        try await interfere(attempt.redirectURI)
        user.act()
        try expect(try await answer, page.redirect, promise)
    }

    private func answerAgain(at redirectURI: RedirectURI, _ promise: String) async throws {
        let attempt = try await attempt(of: make(User()), at: redirectURI, promise)
        let page = Page(redirectURI: attempt.redirectURI, state: "again")
        try expect(try await open(page, in: attempt, promise), page.redirect, promise)
    }

    // MARK: Calls

    func attempt(
        of userAgent: any UserAgent,
        at redirectURI: RedirectURI,
        _ promise: String
    ) async throws -> UserAgentAttempt {
        do throws(SignInError) {
            return try await userAgent.attempt(awaiting: redirectURI)
        } catch {
            throw BrokenPromise(promise, found: error.description)
        }
    }

    func open(
        _ page: Page,
        in attempt: UserAgentAttempt,
        accepting predicate: RedirectPredicate? = nil,
        _ promise: String
    ) async throws -> URL {
        do throws(SignInError) {
            return try await attempt.open(page.url, accepting: predicate ?? page.predicate)
        } catch {
            throw BrokenPromise(promise, found: error.description)
        }
    }

    func expect(_ found: URL, _ expected: URL, _ promise: String) throws {
        guard found != expected else { return }
        throw BrokenPromise(promise, found: found.absoluteString)
    }
}

extension UserAgentCheck {
    /// The simulated user, to whom a check presents its pages.
    public final class User: Sendable {
        enum Behaviour {
            /// Answers at once.
            case answering
            /// Answers when the test says so.
            case waiting
            /// Never answers.
            case leaving
        }

        private let behaviour: Behaviour
        private let hasLooked = OneAnswer<Void>()
        private let mayAct = OneAnswer<Void>()

        init(_ behaviour: Behaviour = .answering) { self.behaviour = behaviour }

        /// Returns the redirect of a page after the user has acted there.
        ///
        /// - Throws: `cancelled` when the task is cancelled while the user does nothing.
        public func redirect(for url: URL) async throws(SignInError) -> URL {
            hasLooked.set(())
            switch behaviour {
            case .answering: break
            case .waiting: await mayAct.value()
            case .leaving:
                try? await Task.sleep(for: .seconds(3600))
                throw SignInError(.authorization, .cancelled)
            }
            guard let page = Page(url: url) else {
                throw SignInError(.authorization, .malformed("the check's own URL"))
            }
            return page.redirect
        }

        func looked() async { await hasLooked.value() }
        func act() { mayAct.set(()) }
    }

    /// A page of the check's, and the redirect that it leads to.
    struct Page {
        let url: URL
        let redirect: URL

        /// The redirect of this page alone.
        var predicate: RedirectPredicate { RedirectPredicate { [redirect] in $0 == redirect } }

        init(redirectURI: RedirectURI, state: String) {
            let parameters = Parameters([.redirectURI: redirectURI.description, .state: state])
            let text = "https://id.example.com/authorize?\(FormURLEncoding.encode(parameters))"
            self.init(text: text, target: redirectURI.description, state: state)
        }

        init?(url: URL) {
            let query = url.absoluteString.drop { $0 != "?" }.dropFirst()
            guard let parameters = FormURLEncoding.decode(query), let target = parameters[.redirectURI],
                let state = parameters[.state]
            else { return nil }
            self.init(text: url.absoluteString, target: target, state: state)
        }

        private init(text: String, target: String, state: String) {
            // Escapes, a repeated name and an empty value reveal whether a user agent leaves the query unchanged.
            let query = "code=a%2Bb%20c+d&state=\(state)&state=\(state)&empty="
            // A redirect URI with escaped parameters is always a URL.
            url = URL(string: text) ?? URL(filePath: "/")
            redirect = URL(string: target + (target.contains("?") ? "&" : "?") + query) ?? URL(filePath: "/")
        }
    }
}
