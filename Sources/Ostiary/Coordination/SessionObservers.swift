import Synchronization

/// Those who want to know how a session is.
final class SessionObservers: Sendable {
    private struct Observers {
        var state: SessionState = .active
        var count = 0
        var continuations: [Int: AsyncStream<SessionState>.Continuation] = [:]
    }

    private let observers = Mutex(Observers())

    /// How the session is now.
    var state: SessionState { observers.withLock { $0.state } }

    /// Takes a new state, and tells it to everybody, unless it is the same.
    func note(_ state: SessionState) {
        let finished = observers.withLock { observers -> [AsyncStream<SessionState>.Continuation] in
            if case .ended = observers.state { return [] }
            guard observers.state != state else { return [] }
            observers.state = state
            // Under the lock, so that everybody hears of two changes in their order.
            for continuation in observers.continuations.values { continuation.yield(state) }
            guard case .ended = state else { return [] }
            defer { observers.continuations = [:] }
            return Array(observers.continuations.values)
        }
        // Not under the lock, which their end takes, too.
        for continuation in finished { continuation.finish() }
    }

    /// The state now, and each one after it; who is slow hears of the newest only.
    func states() -> AsyncStream<SessionState> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(1))
        let id = observers.withLock { observers -> Int? in
            continuation.yield(observers.state)
            if case .ended = observers.state {
                continuation.finish()
                return nil
            }
            observers.count += 1
            observers.continuations[observers.count] = continuation
            return observers.count
        }
        if let id {
            continuation.onTermination = { [weak self] _ in
                self?.observers.withLock { observers in _ = observers.continuations.removeValue(forKey: id) }
            }
        }
        return stream
    }
}
