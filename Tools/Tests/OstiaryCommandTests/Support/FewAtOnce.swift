import Synchronization
import Testing

/// Runs at most three tests of the suites that have it at the same time.
///
/// Each of these tests starts processes; all at once they would wait for each other beyond every deadline.
struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    private static let places = Places(3)

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.places.take()
        defer { Self.places.give() }
        try await function()
    }

    /// A counting semaphore, first come, first served.
    private final class Places: Sendable {
        private struct State {
            var free: Int
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state: Mutex<State>

        init(_ count: Int) { state = Mutex(State(free: count)) }

        func take() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.free > 0 else {
                        state.waiting.append(continuation)
                        return false
                    }
                    state.free -= 1
                    return true
                }
                if isFree { continuation.resume() }
            }
        }

        func give() {
            let next: CheckedContinuation<Void, Never>? = state.withLock { state in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.free += 1
                return nil
            }
            next?.resume()
        }
    }
}

extension Trait where Self == FewAtOnce {
    /// At most three tests at a time, over all suites that say so.
    static var fewAtOnce: Self { Self() }
}
