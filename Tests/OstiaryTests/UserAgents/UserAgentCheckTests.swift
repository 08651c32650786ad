import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import Testing

/// A check that passes everything proves nothing: each promise is broken once.
@Suite("The user agent check", .timeLimit(.minutes(5)))
struct UserAgentCheckTests {
    @Test("The user agent check passes a scripted user agent", arguments: [nil, 8765])
    func scripted(port: Int?) async throws {
        try await UserAgentCheck(redirectURI: RedirectURI("http://127.0.0.1/callback"), interfere: { _ in }) { person in
            ScriptedUserAgent(port: port) { (url, _) async throws(SignInError) in try await person.redirect(for: url) }
        }.run()
    }

    @Test("The user agent check names a changed redirect URI")
    func otherRedirectURI() async throws {
        try await expect("The attempt's redirect URI is the requested one") { person in
            Altered(person, redirectURI: { _ throws(SignInError) in try RedirectURI("http://127.0.0.1:1/other") })
        }
    }

    @Test("The user agent check names a changed redirect")
    func changedAnswer() async throws {
        try await expect("An attempt returns the redirect unchanged.") { person in
            ScriptedUserAgent { (url, _) async throws(SignInError) in
                let redirect = try await person.redirect(for: url).absoluteString
                return URL(string: redirect.replacingOccurrences(of: "&state=one&state=one", with: "&state=one"))!
            }
        }
    }

    @Test("The user agent check names a redirect delivered to another attempt")
    func otherAnswer() async throws {
        let first = Lock<URL?>(nil)
        try await expect("Two attempts at one time get their own redirects.") { person in
            ScriptedUserAgent { (url, _) async throws(SignInError) in
                let redirect = try await person.redirect(for: url)
                let isSecond = redirect.absoluteString.contains("state=two")
                return first.withLock { first in
                    if !isSecond { first = redirect }
                    return isSecond ? first ?? url : redirect
                }
            }
        }
    }

    @Test("The user agent check names a cancellation that fails otherwise")
    func otherError() async throws {
        try await expect("Cancelling the task ends an attempt as cancelled") { person in
            ScriptedUserAgent { (url, _) async throws(SignInError) in
                do throws(SignInError) {
                    return try await person.redirect(for: url)
                } catch { throw SignInError(.authorization, .timedOut) }
            }
        }
    }

    @Test("The user agent check names a port that is not released")
    func keptPort() async throws {
        let taken = Lock<Set<RedirectURI>>([])
        try await expect("An abandoned attempt frees what it took.", at: "http://127.0.0.1:8765/callback") {
            person in
            Altered(
                person,
                take: { uri throws(SignInError) in
                    guard taken.withLock({ $0.insert(uri).inserted }) else {
                        throw SignInError(.authorization, .configuration("It is in use."))
                    }
                },
                giveBack: { uri in taken.withLock { _ = $0.remove(uri) } }
            )
        }
    }

    @Test("The user agent check names an attempt that other requests end")
    func noise() async throws {
        let isDisturbed = Disturbance()
        let check = UserAgentCheck(
            redirectURI: try RedirectURI("http://127.0.0.1/callback"),
            interfere: { _ in isDisturbed.set() },
            make: { person in
                ScriptedUserAgent { (url, _) async throws(SignInError) in
                    let redirect = try await person.redirect(for: url)
                    guard !isDisturbed.value else { throw SignInError(.authorization, .timedOut) }
                    return redirect
                }
            }
        )
        let error = await #expect(throws: BrokenPromise.self) { try await check.run() }
        #expect(
            error?.promise == "A request other than a redirect does not end an attempt.",
            "\(error?.description ?? "")"
        )
    }

    private final class Disturbance: Sendable {
        private let state = Lock(false)
        var value: Bool { state.withLock { $0 } }
        func set() { state.withLock { $0 = true } }
    }

    private func expect(
        _ promise: String,
        at redirectURI: String = "http://127.0.0.1/callback",
        of make: @escaping @Sendable (UserAgentCheck.User) -> any UserAgent
    ) async throws {
        let check = UserAgentCheck(redirectURI: try RedirectURI(redirectURI), make: make)
        let error = await #expect(throws: BrokenPromise.self) { try await check.run() }
        #expect(error?.promise.hasPrefix(promise) == true, "\(error?.description ?? "")")
    }
}

/// A user agent that takes something, and perhaps does not give it back.
private struct Altered: UserAgent {
    let person: UserAgentCheck.User
    let redirectURI: @Sendable (RedirectURI) throws(SignInError) -> RedirectURI
    let take: @Sendable (RedirectURI) throws(SignInError) -> Void
    let giveBack: @Sendable (RedirectURI) -> Void

    init(
        _ person: UserAgentCheck.User,
        redirectURI: @escaping @Sendable (RedirectURI) throws(SignInError) -> RedirectURI = { $0 },
        take: @escaping @Sendable (RedirectURI) throws(SignInError) -> Void = { _ in },
        giveBack: @escaping @Sendable (RedirectURI) -> Void = { _ in }
    ) {
        self.person = person
        self.redirectURI = redirectURI
        self.take = take
        self.giveBack = giveBack
    }

    func attempt(awaiting asked: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let redirectURI = try redirectURI(asked)
        try take(redirectURI)
        return UserAgentAttempt(
            redirectURI: redirectURI,
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                defer { giveBack(redirectURI) }
                return try await person.redirect(for: url)
            }
        )
    }
}
