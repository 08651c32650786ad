import Synchronization

/// Answers to token requests, which are held between the provider's work and the sending.
final class HeldAnswers: Sendable {
    private struct State {
        var isHolding = false
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of responses that have been held.
    var arrivals: Int { state.withLock { $0.arrivals } }

    /// Holds every answer from now on.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Lets the answers go, and holds none any more.
    func release() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Waits with an answer for as long as answers are held.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isHolding else { return true }
                state.arrivals += 1
                state.held.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }
}
