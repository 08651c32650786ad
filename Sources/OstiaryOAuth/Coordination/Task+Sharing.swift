import OstiaryCompatibility

extension Task where Failure == Never {
    /// The value of a task that several callers wait for; `nil` when the caller's own task is cancelled first.
    ///
    /// The task goes on for the others.
    package func sharedValue() async -> Success? {
        let outcome = FirstOutcome<Success>()
        _ = Task<Void, Never> { outcome.set(await value) }
        return await withTaskCancellationHandler {
            await outcome.value()
        } onCancel: {
            outcome.set(nil)
        }
    }
}

/// The first of two outcomes, for one caller.
private final class FirstOutcome<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value?, Never>)
        case set(Value?)
    }

    private let state = Lock<State>(.open)

    func set(_ value: Value?) {
        let caller: CheckedContinuation<Value?, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .set(value)
                return nil
            case .awaited(let continuation):
                state = .set(value)
                return continuation
            case .set: return nil
            }
        }
        caller?.resume(returning: value)
    }

    func value() async -> Value? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
            let known: Value?? = state.withLock { state in
                if case .set(let value) = state { return .some(value) }
                state = .awaited(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
