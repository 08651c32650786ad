import Synchronization

/// The first of several results; the later ones are dropped.
final class Race<Output: Sendable>: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Output, any Error>)
        case ended(Result<Output, any Error>)
        case over
    }

    private let state = Mutex(State.running)

    /// Offers a result.
    func finish(_ result: Result<Output, any Error>) {
        let waiter: CheckedContinuation<Output, any Error>? = state.withLock { state in
            switch state {
            case .running:
                state = .ended(result)
                return nil
            case .awaited(let continuation):
                state = .over
                return continuation
            case .ended, .over: return nil
            }
        }
        waiter?.resume(with: result)
    }

    /// Waits for the first result; called once.
    func result() async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            let result: Result<Output, any Error>? = state.withLock { state in
                if case .ended(let result) = state {
                    state = .over
                    return result
                }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
