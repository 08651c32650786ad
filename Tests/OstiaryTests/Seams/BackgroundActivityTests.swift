import Ostiary
import Synchronization
import Testing

@Suite("A background activity")
struct BackgroundActivityTests {
    @Test("An assertion ends once, however often it is ended")
    func endsOnce() async {
        let ends = Counter()
        let activity = BackgroundActivity { _, _ in BackgroundAssertion { ends.add() } }
        let assertion = await activity.begin("a test")
        assertion.end()
        assertion.end()
        #expect(ends.value == 1)
    }

    @Test("An assertion that is let go of has ended")
    func endsWhenForgotten() async {
        let ends = Counter()
        let activity = BackgroundActivity { _, _ in BackgroundAssertion { ends.add() } }
        _ = await activity.begin("a test")
        #expect(ends.value == 1)
    }

    @Test("An activity that fails has ended, and its error is the caller's")
    func endsOnFailure() async {
        struct Failure: Error, Equatable {}
        let ends = Counter()
        let activity = BackgroundActivity { _, _ in BackgroundAssertion { ends.add() } }
        await #expect(throws: Failure()) {
            try await activity.during("a test") { throw Failure() }
        }
        #expect(ends.value == 1)
    }

    @Test("The activity's name and the expiry reach the system")
    func nameAndExpiry() async {
        let names = Mutex<[String]>([])
        let expired = Counter()
        let activity = BackgroundActivity { name, expiring in
            names.withLock { $0.append(name) }
            expiring()
            return BackgroundAssertion()
        }
        _ = await activity.begin("refresh") { expired.add() }
        #expect(names.withLock { $0 } == ["refresh"])
        #expect(expired.value == 1)
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    func add() { count.add(1, ordering: .sequentiallyConsistent) }
}
