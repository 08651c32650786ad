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
    private let pauses = Lock<(running: [Int: Task<Void, any Error>], count: Int)>(([:], 0))

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

    /// Waits within work, until a caller of ``settle()`` comes.
    ///
    /// - Parameter sleep: The waiting; it ends when its task is cancelled.
    /// - Returns: Whether the work is to go on; not when a caller of ``settle()`` waits.
    func pause(_ sleep: @escaping @Sendable () async throws -> Void) async -> Bool {
        guard !isSettling else { return false }
        let task = Task { try await sleep() }
        let number = pauses.withLock { pauses in
            pauses.count += 1
            pauses.running[pauses.count] = task
            return pauses.count
        }
        // A caller that came before the task was noted did not end it.
        if isSettling { task.cancel() }
        let isOver = (try? await task.value) != nil
        pauses.withLock { $0.running[number] = nil }
        return isOver && !isSettling
    }

    /// Waits until no work is in progress, and ends the pauses within it.
    func settle() async {
        await work.settle { self.pauses.withLock { pauses in for task in pauses.running.values { task.cancel() } } }
    }

    /// Whether a caller of ``settle()`` waits.
    var isSettling: Bool { work.isSettling }
}
