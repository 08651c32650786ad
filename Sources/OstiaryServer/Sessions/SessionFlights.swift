import OstiaryCompatibility
import OstiaryOAuth

/// The refreshes in progress in this instance: one for each session, in a task of its own.
///
/// A presented refresh token is used up, so a cancelled caller must not cancel the refresh, and a caller that arrives
/// meanwhile waits for its result instead of reading the store.
final class SessionFlights: Sendable {
    typealias Outcome = Result<Secret, SignInError>

    /// The key of a refresh: the session, and the access token that a resource server rejected, if one did.
    struct Name: Hashable, Sendable {
        let session: StoreDigest
        let refused: Secret?
    }

    private let work = UncancelledWork()
    private let tasks = Lock<[Name: Task<Outcome, Never>]>([:])

    /// The refresh of a session; `nil` when there is none.
    func current(_ name: Name) -> Task<Outcome, Never>? { tasks.withLock { $0[name] } }

    /// Joins the refresh of a session, or starts it.
    func join(_ name: Name, starting body: @escaping @Sendable () async -> Outcome) -> Task<Outcome, Never> {
        tasks.withLock { tasks in
            if let task = tasks[name] { return task }
            let task = work.start {
                defer { self.tasks.withLock { $0[name] = nil } }
                return await body()
            }
            tasks[name] = task
            return task
        }
    }

    /// Runs work to its end, even when its caller is cancelled.
    func finish<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        await work.start(body).value
    }

    /// Starts work that only ``settle()`` waits for.
    func start(_ body: @escaping @Sendable () async -> Void) { _ = work.start(body) }

    /// Waits until no work is in progress.
    func settle() async { await work.settle() }

    /// Whether a caller of ``settle()`` waits.
    var isSettling: Bool { work.isSettling }
}

/// Work that continues when its caller is cancelled, and that a service waits for before it ends.
private final class UncancelledWork: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    var isSettling: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Starts work in a task that is never cancelled.
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

    /// Waits until no work is in progress.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state -> Bool in
                guard state.count > 0 else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
