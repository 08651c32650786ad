import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("Concurrent sign-ins of one client", .timeLimit(.minutes(5)))
struct SignInGateTests {
    private static let busy = SignInError(.authorization, .alreadyInProgress)

    @Test("A gate admits one sign-in at a time, and the next one once that has ended")
    func gate() async throws {
        let gate = SignInGate()
        let first = try await gate.run(orThrow: Self.busy) { () async throws(SignInError) -> String in
            let second = await failure { () async throws(SignInError) in
                try await gate.run(orThrow: Self.busy) { () async throws(SignInError) -> Void in
                    Issue.record("A second sign-in began.")
                }
            }
            #expect(second == Self.busy)
            return "first"
        }
        let next = try await gate.run(orThrow: Self.busy) { () async throws(SignInError) -> String in "next" }
        #expect(first == "first" && next == "next")
    }

    @Test("A gate is free after a sign-in that failed or was cancelled")
    func freed() async throws {
        let gate = SignInGate()
        let failed = await failure { () async throws(SignInError) in
            try await gate.run(orThrow: Self.busy) { () async throws(SignInError) -> Void in
                throw SignInError(.token, .timedOut)
            }
        }
        #expect(failed == SignInError(.token, .timedOut))
        let entered = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await failure { () async throws(SignInError) in
                try await gate.run(orThrow: Self.busy) { () async throws(SignInError) -> Void in
                    entered.continuation.yield()
                    try? await Task.sleep(for: .seconds(3600))
                    throw SignInError(.authorization, .cancelled)
                }
            }
        }
        for await _ in entered.stream { break }
        task.cancel()
        #expect(await task.value == SignInError(.authorization, .cancelled))
        let next = try await gate.run(orThrow: Self.busy) { () async throws(SignInError) -> String in "next" }
        #expect(next == "next")
    }

    @Test("An attempt without an answer ends at the deadline, and its page is closed")
    func deadline() async throws {
        let closed = AsyncStream.makeStream(of: Void.self)
        let userAgent = ScriptedUserAgent { (_, _) async throws(SignInError) in
            try? await Task.sleep(for: .seconds(3600))
            closed.continuation.yield()
            throw SignInError(.authorization, .cancelled)
        }
        let attempt = try await userAgent.attempt(awaiting: RedirectURI("com.example.app:/callback"))
        await #expect(throws: SignInError(.authorization, .timedOut)) {
            try await attempt.open(URL(string: "https://id.example.com")!, accepting: .any, within: .milliseconds(1))
        }
        for await _ in closed.stream { break }
    }
}
