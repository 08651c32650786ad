import Foundation
import Ostiary
import OstiaryTesting
import Testing

@Suite("Concurrent sign-ins of one client", .timeLimit(.minutes(5)))
struct SignInGateTests {
    @Test("The gate admits one sign-in at a time")
    func gate() {
        let gate = SignInGate()
        #expect(gate.enter())
        #expect(!gate.enter())
        gate.leave()
        #expect(gate.enter())
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
