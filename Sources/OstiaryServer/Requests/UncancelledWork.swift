import OstiaryCompatibility

/// Work that continues when its caller is cancelled, and that a service waits for before it ends.
///
/// A code that was presented, or a refresh token, is used up: the response has to be stored whether or not the client
/// still waits.
public final class UncancelledWork: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// Begins with no work.
    public init() {}

    /// Whether a caller of ``settle()`` waits.
    var isSettling: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Does something to its end, also when the caller is cancelled.
    public func finish<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await start(body).value
    }

    /// Starts work in a task that no caller cancels.
    func start<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        state.withLock { $0.count += 1 }
        return Task {
            let value = await body()
            end()
            return value
        }
    }

    private func end() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until no work is under way.
    public func settle() async { await settle {} }

    /// Waits until no work is under way.
    ///
    /// - Parameter begin: Called when there is some, and ``isSettling`` says so.
    func settle(_ begin: () -> Void) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state -> Bool in
                guard state.count > 0 else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDone { continuation.resume() } else { begin() }
        }
    }
}
