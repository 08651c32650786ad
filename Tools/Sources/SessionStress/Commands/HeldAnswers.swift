import Synchronization

/// Responses to token requests, which are held back after the provider's work.
final class HeldAnswers: Sendable {
    private struct State {
        var isHolding = false
        var arrivals = 0
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// The number of responses that have been held.
    var arrivals: Int { state.withLock { $0.arrivals } }

    /// Holds every response from now on.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Sends the held responses, and holds no more.
    func release() {
        let held = state.withLock { state in
            state.isHolding = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Delays a response while responses are held.
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
