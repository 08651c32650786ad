import OstiaryCompatibility

/// The observers of a session's state.
final class SessionObservers: Sendable {
    private struct Observers {
        var state: Session.State = .active
        var count = 0
        var continuations: [Int: AsyncStream<Session.State>.Continuation] = [:]
    }

    private let observers = Lock(Observers())

    /// The current state of the session.
    var state: Session.State { observers.withLock { $0.state } }

    /// Stores a new state, and notifies all observers if it differs.
    func note(_ state: Session.State) {
        let finished = observers.withLock { observers -> [AsyncStream<Session.State>.Continuation] in
            if case .ended = observers.state { return [] }
            guard observers.state != state else { return [] }
            observers.state = state
            // Under the lock, so that all observers see two changes in their order.
            for continuation in observers.continuations.values { continuation.yield(state) }
            guard case .ended = state else { return [] }
            defer { observers.continuations = [:] }
            return Array(observers.continuations.values)
        }
        // Not under the lock, because the end of a sequence takes it.
        for continuation in finished { continuation.finish() }
    }

    /// Returns the current state and each later one; a slow observer gets only the newest.
    func states() -> AsyncStream<Session.State> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Session.State.self,
            bufferingPolicy: .bufferingNewest(1)
        )
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
