import Foundation
import Ostiary
import OstiaryCompatibility
import OstiaryTesting
import Testing

@Suite("Coming back from the provider's app", .timeLimit(.minutes(5)))
struct AppReturnTests {
    static let page = URL(string: "https://id.example.com/authorize?state=right&client_id=app")!
    static let answer = URL(string: "com.example.app:/callback?code=c&state=right")!
    static let fromBrowser = URL(string: "com.example.app:/callback?code=browser&state=right")!

    let redirects = ForwardedRedirects()
    let moments = AsyncStream.makeStream(of: Void.self)

    /// Opens the page with an app that is there and says nothing.
    private func open(
        isInFront: @escaping @Sendable () async -> Bool = { true },
        _ decide: @escaping @Sendable () async -> AppReturn.Decision
    ) async throws -> URL {
        let stream = moments.stream
        let handoff = AppHandoff(
            redirects,
            opener: { _ in true },
            returning: AppReturn(moments: { stream }, sleep: { _ in }, isInFront: isInFront, decide: decide),
            otherwise: ScriptedUserAgent { (_, _) in Self.fromBrowser }
        )
        let attempt = try await handoff.attempt(awaiting: try RedirectURI("com.example.app:/callback"))
        return try await attempt.open(Self.page, accepting: .any)
    }

    @Test("A return from the app without a redirect cancels the sign-in when the app chooses so")
    func cancels() async {
        moments.continuation.yield()
        await #expect(throws: SignInError(.authorization, .cancelled)) { _ = try await open { .cancel } }
    }

    @Test("A return from the app without a redirect opens the browser when the app chooses so")
    func goesOn() async throws {
        moments.continuation.yield()
        #expect(try await open { .openOtherwise } == Self.fromBrowser)
    }

    @Test("A return that the app waits after is examined again the next time")
    func waits() async throws {
        let asked = Lock(0)
        moments.continuation.yield()
        moments.continuation.yield()
        let found = try await open {
            asked.withLock { count in
                count += 1
                return count
            } == 1 ? .wait : .openOtherwise
        }
        #expect(found == Self.fromBrowser)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test("A user who left the app again before the check has not returned")
    func leftAgain() async throws {
        let looks = Lock(0)
        moments.continuation.yield()
        moments.continuation.yield()
        let found = try await open(isInFront: {
            looks.withLock { count in
                count += 1
                return count
            } == 2
        }) {
            #expect(looks.withLock { $0 } == 2)
            return .openOtherwise
        }
        #expect(found == Self.fromBrowser)
    }

    @Test("A redirect that follows a return completes the sign-in, whatever the app decided meanwhile")
    func redirectWins() async throws {
        moments.continuation.yield()
        let redirects = redirects
        let found = try await open {
            _ = redirects.handle(Self.answer)
            return .cancel
        }
        #expect(found == Self.answer)
    }

    @Test("Without a return the sign-in goes on until it is given up")
    func noReturn() async throws {
        let opening = Task { try await open { .cancel } }
        try await Task.sleep(for: .milliseconds(20))
        opening.cancel()
        await #expect(throws: SignInError(.authorization, .cancelled)) { try await opening.value }
    }
}
