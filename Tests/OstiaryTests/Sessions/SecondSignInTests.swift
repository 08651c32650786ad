import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryTesting
import Testing

@Suite("A second sign-in of one client", .timeLimit(.minutes(5)))
struct SecondSignInTests {
    let world: World
    let pages = AsyncStream.makeStream(of: Void.self)
    let person: HoldingPerson

    init() throws {
        world = try World()
        person = HoldingPerson(world.person(), shown: pages.continuation)
    }

    private func client(_ policy: SignInClient.SecondSignIn) throws -> SignInClient {
        let person = person
        return try world.client(
            userAgent: ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
                try await person.answer(url, redirectURI)
            },
            policy: SessionPolicy(secondSignIn: policy)
        )
    }

    private func shown() async { for await _ in pages.stream { return } }

    @Test("By default a second sign-in is refused, and the first continues")
    func reject() async throws {
        let client = try client(SessionPolicy().secondSignIn)
        let first = Task { try await client.signIn() }
        await shown()
        await #expect(throws: SignInError(.authorization, .alreadyInProgress)) { try await client.signIn() }
        person.act()
        #expect(try await first.value.identity?.subject == "alice-subject")
    }

    @Test("A failed sign-in allows the next one")
    func placeIsFree() async throws {
        let client = try client(.reject)
        let first = Task { try await client.signIn() }
        await shown()
        first.cancel()
        await #expect(throws: SignInError(.authorization, .cancelled)) { try await first.value }
        person.act()
        _ = try await client.signIn()
    }

    @Test("With replace the first sign-in is cancelled, and the second has its own page")
    func replace() async throws {
        let client = try client(.replace)
        let first = Task { try await client.signIn() }
        await shown()
        let second = Task { try await client.signIn() }
        await #expect(throws: SignInError(.authorization, .cancelled)) { try await first.value }
        await shown()
        person.act()
        _ = try await second.value
        #expect(person.count == 2)
    }

    @Test("With join both sign-ins return the session of one page")
    @MainActor func join() async throws {
        let client = try client(.join)
        let first = Task { try await client.signIn() }
        await shown()
        let second = Task { try await client.signIn() }
        // One actor runs one task after the other: the second has come as far as it can, which is where it waits.
        await Task.yield()
        person.act()
        let sessions = try await (first.value, second.value)
        #expect(sessions.0 === sessions.1)
        #expect(person.count == 1)
    }

    @Test("With join a cancelled caller leaves alone, and the sign-in ends with the last")
    func joinerGivesUp() async throws {
        let client = try client(.join)
        let first = Task { try await client.signIn() }
        await shown()
        let joined = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.signIn()
        }
        await #expect(throws: SignInError(.authorization, .cancelled)) { try await joined.value }
        person.act()
        _ = try await first.value
        #expect(person.count == 1)
    }
}

/// Alice, who acts when the test lets her.
final class HoldingPerson: Sendable {
    private let browser: HTTPUserAgent
    private let shown: AsyncStream<Void>.Continuation
    private let mayAct = AsyncStream.makeStream(of: Void.self)
    private let pages = Lock(0)

    init(_ browser: HTTPUserAgent, shown: AsyncStream<Void>.Continuation) {
        self.browser = browser
        self.shown = shown
    }

    var count: Int { pages.withLock { $0 } }

    func act() { mayAct.continuation.finish() }

    func answer(_ url: URL, _ redirectURI: RedirectURI) async throws(SignInError) -> URL {
        pages.withLock { $0 += 1 }
        shown.yield()
        for await _ in mayAct.stream {}
        guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
        return try await browser.attempt(awaiting: redirectURI).open(url, accepting: .any)
    }
}
