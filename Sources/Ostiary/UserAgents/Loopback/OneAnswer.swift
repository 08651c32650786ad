import OstiaryCompatibility

/// One outcome: whoever is first sets it, and everybody who awaits it gets it.
///
/// A callback, a cancellation and a closed browser can come at once; each may try, and what awaits is resumed once.
final class OneAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, Never>])
        case set(Value)
    }

    private let state = Lock<State>(.open([]))

    /// Sets the outcome, unless it is set already.
    ///
    /// - Returns: Whether this call was the first.
    @discardableResult
    func set(_ value: Value) -> Bool {
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
    /// Cancelling does not end this; whoever is told of the cancellation sets an outcome.
    func value() async -> Value {
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
