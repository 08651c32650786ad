import Ostiary
import OstiaryOAuth
import Testing

@Suite("Back-off after a failed refresh")
struct RefreshHoldOffTests {
    private static let lost = SignInError(.refresh, .transport(.unreachable))
    private static let busy = SignInError(.refresh, .server(status: 503))

    /// The pauses of callers after each of some failures, which come when the time before is over.
    private func pauses(after failures: [SignInError], jitter: Double) -> [Double] {
        var holdOff = RefreshHoldOff()
        var uptime = 1000.0
        return failures.map { error in
            holdOff.note(error, at: uptime, jitter: jitter)
            let pause = (holdOff.refusal(at: uptime)?.retryAfter ?? .zero) / .seconds(1)
            #expect(holdOff.refusal(at: uptime + pause) == nil)
            uptime += pause
            return pause
        }
    }

    @Test(
        "A network outage doubles the pause between refreshes up to a minute, and the first failure has none"
    )
    func network() {
        let failures = Array(repeating: Self.lost, count: 10)
        #expect(pauses(after: failures, jitter: 1) == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test("A busy server pauses refreshes at once, with a jitter that spreads many devices")
    func busy() {
        let failures = Array(repeating: Self.busy, count: 8)
        #expect(pauses(after: failures, jitter: 1) == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(pauses(after: failures, jitter: 0) == [0.5, 1, 2, 4, 8, 16, 30, 30])
    }

    @Test("A longer Retry-After overrides the pause, and a response resets it")
    func asked() {
        var asking = Self.busy
        asking.retryAfter = .seconds(300)
        #expect(pauses(after: [asking, Self.busy], jitter: 1) == [300, 2])
        var holdOff = RefreshHoldOff()
        holdOff.note(asking, at: 0, jitter: 0)
        #expect(holdOff.refusal(at: 100)?.retryAfter == .seconds(200))
        holdOff.reset()
        #expect(holdOff == RefreshHoldOff() && holdOff.refusal(at: 100) == nil)
    }

    @Test("A Retry-After that is shorter than the doubled pause does not shorten it")
    func shortRetryAfter() {
        var asking = Self.busy
        asking.retryAfter = .seconds(1)
        #expect(pauses(after: [Self.busy, Self.busy, Self.busy, Self.busy, asking], jitter: 1) == [1, 2, 4, 8, 16])
    }

    @Test("The first response that fails a check causes no pause, and later ones double it")
    func rejections() {
        var holdOff = RefreshHoldOff()
        let pauses = (0..<4).map { _ in
            holdOff.noteRejection(SignInError(.identity, .mismatch(.audience)), at: 0, jitter: 1)
            return holdOff.refusal(at: 0)?.retryAfter ?? .zero
        }
        #expect(pauses == [0, 1, 2, 4].map { .seconds($0) })
    }

    @Test("A response without tokens pauses the presentation of the same refresh token, and later ones double it")
    func losses() {
        var holdOff = RefreshHoldOff()
        let pauses = (0..<4).map { _ in
            holdOff.noteLoss(SignInError(.refresh, .malformed("the response")), at: 0, jitter: 1)
            return holdOff.refusal(at: 0)?.retryAfter ?? .zero
        }
        #expect(pauses == [1, 2, 4, 8].map { .seconds($0) })
    }

    @Test("An error that says nothing of the server's state causes no pause")
    func other() {
        let failures = [SignInError(.identity, .mismatch(.audience)), SignInError(.refresh, .signInRequired)]
        #expect(pauses(after: failures, jitter: 1) == [0, 0])
    }
}
