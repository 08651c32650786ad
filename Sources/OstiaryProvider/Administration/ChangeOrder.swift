import OstiaryCompatibility

/// Makes the changes of the administration that take several steps one after the other.
final class ChangeOrder: Sendable {
    private struct State: Sendable {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Makes a change once those before it have ended.
    func alone<Value>(_ change: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                if state.isBusy { state.waiting.append(continuation) }
                defer { state.isBusy = true }
                return !state.isBusy
            }
            if isFirst { continuation.resume() }
        }
        defer { next() }
        return try await change()
    }

    private func next() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isBusy = false
            return nil
        }
        next?.resume()
    }
}
