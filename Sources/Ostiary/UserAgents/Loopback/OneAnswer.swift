import OstiaryCompatibility

/// A single outcome: the first caller to set it wins, and every waiter gets it.
///
/// A callback, a cancellation and a closed browser can come at once. Each may try to set the outcome, and each waiter
/// is resumed once.
package final class OneAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Lock<State>(.open([]))

    package init() {}

    /// Sets the outcome, unless it is set already.
    ///
    /// - Returns: Whether this call was the first.
    @discardableResult
    package func set(_ value: Value) -> Bool {
        let waiting: [CheckedContinuation<Value, Never>]? = state.withLock { state in
            guard case .open(let waiting) = state else { return nil }
            state = .set(value)
            return waiting
        }
        waiting?.forEach { $0.resume(returning: value) }
        return waiting != nil
    }

    /// Waits for the outcome.
    ///
    /// Cancellation does not end the wait; the code that handles the cancellation has to set an outcome.
    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let known: Value? = state.withLock { state in
                switch state {
                case .open(let waiting):
                    state = .open(waiting + [continuation])
                    return nil
                case .set(let value): return value
                }
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
