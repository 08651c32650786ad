import OstiaryCompatibility
import OstiaryOAuth

/// Counts the work whose loss costs a session: requests that may have left, and responses that are not stored yet.
///
/// A code and a rotating refresh token are valid once. A process that ends between the request and the write loses the
/// session, so a program waits here before it ends.
final class UnsettledWork: Sendable {
    /// The work of every client in this process.
    static let ofProcess = UnsettledWork(within: nil)

    private struct State {
        var count = 0
        /// The number of resting work items, which continue only with the next caller.
        var resting = 0
        var waiting: [OneAnswer<Bool>] = []

        /// Whether waiting changes nothing.
        var isAtRest: Bool { count == resting }
    }

    private let state = Lock(State())
    private let whole: UnsettledWork?

    /// Starts with no work in progress.
    ///
    /// - Parameter whole: Another counter that includes this work. Default: that of the process.
    init(within whole: UnsettledWork? = .ofProcess) { self.whole = whole }

    /// Notes that work has begun; each call needs a matching ``end()``.
    func begin() {
        whole?.begin()
        state.withLock { $0.count += 1 }
    }

    /// Notes that work has ended, with any outcome.
    func end() {
        update { $0.count -= 1 }
        whole?.end()
    }

    /// Records that work was suspended: it counts as unsettled, and no caller waits for it.
    func rest() {
        update { $0.resting += 1 }
        whole?.rest()
    }

    /// Notes that work which rested goes on.
    func goOn() {
        whole?.goOn()
        state.withLock { $0.resting -= 1 }
    }

    private func update(_ change: (inout State) -> Void) {
        let (waiting, isSettled) = state.withLock { state -> ([OneAnswer<Bool>], Bool) in
            change(&state)
            guard state.isAtRest else { return ([], false) }
            defer { state.waiting = [] }
            return (state.waiting, state.count == 0)
        }
        for answer in waiting { answer.set(isSettled) }
    }

    /// Waits until no work is in progress or all of it rests, also in a task that is cancelled.
    ///
    /// - Parameters:
    ///   - limit: 0 or more; 0 returns at once.
    ///   - clock: The clock that measures it.
    /// - Returns: Whether everything is stored.
    func settle(within limit: Duration, by clock: DeviceClock) async -> Bool {
        let answer = OneAnswer<Bool>()
        let (isSettled, isAtRest) = state.withLock { state in
            if !state.isAtRest, limit > .zero { state.waiting.append(answer) }
            return (state.count == 0, state.isAtRest)
        }
        if isAtRest || limit <= .zero { return isSettled }
        // A task of its own, which is not cancelled with the caller's.
        let alarm = Task {
            try? await clock.sleep(limit)
            answer.set(false)
        }
        let outcome = await answer.value()
        alarm.cancel()
        state.withLock { state in state.waiting.removeAll { $0 === answer } }
        return outcome
    }
}
