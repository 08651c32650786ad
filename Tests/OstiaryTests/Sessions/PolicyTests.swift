import Ostiary
import Testing

@Suite("Session policies and random numbers")
struct PolicyTests {
    @Test(
        "A policy's times are limited to the range from 0 to a year",
        arguments: [(Int64.max, 31_536_000), (-1, 0), (.min, 0), (40, 40)] as [(Int64, Int64)]
    )
    func bounds(_ seconds: Int64, _ expected: Int64) {
        let given = Duration.seconds(seconds)
        var policy = SessionPolicy(
            minimumValidity: given,
            maximumClockCorrection: given,
            pendingLifetime: given,
            replayWindow: given,
            lockPatience: given
        )
        func times() -> [Duration?] {
            [
                policy.minimumValidity, policy.maximumClockCorrection, policy.pendingLifetime, policy.replayWindow,
                policy.lockPatience,
            ]
        }
        #expect(times() == Array(repeating: .seconds(expected), count: 5))
        policy = SessionPolicy()
        policy.minimumValidity = given
        policy.maximumClockCorrection = given
        policy.pendingLifetime = given
        policy.replayWindow = given
        policy.lockPatience = given
        #expect(times() == Array(repeating: .seconds(expected), count: 5))
    }

    @Test("A browser deadline is limited to the range from 0 to a year")
    func deadline() {
        #expect(SessionPolicy(browserDeadline: .seconds(-1)).browserDeadline == .zero)
        #expect(SessionPolicy(browserDeadline: .seconds(Int64.max)).browserDeadline == .seconds(31_536_000))
        #expect(SessionPolicy().browserDeadline == .seconds(300))
    }

    @Test("A copy of a random number generator does not repeat the original")
    func copies() {
        var original = SecureRandom()
        _ = original.next()
        var copy = original
        let drawn = (0..<16).map { _ in original.next() }
        let repeated = (0..<16).map { _ in copy.next() }
        #expect(Set(drawn).isDisjoint(with: repeated) && Set(drawn).count == 16)
    }
}
