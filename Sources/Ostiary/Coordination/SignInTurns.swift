import OstiaryCompatibility
import OstiaryOAuth

/// Allows one sign-in of a client at a time.
///
/// A turn ends with its sign-in, whatever the outcome, so that the next sign-in can always begin.
final class SignInTurns: Sendable {
    private typealias Outcome = Result<Session, SignInError>

    /// One sign-in, and the number of callers that wait for it.
    private final class Turn: Sendable {
        let outcome = OneAnswer<Outcome>()
        private let state = Lock(State())

        private struct State {
            var task: Task<Void, Never>?
            var isCancelled = false
            var waiting = 1
        }

        func start(_ body: @escaping @Sendable () async -> Outcome) {
            let task = Task { [outcome] in _ = outcome.set(await body()) }
            let isCancelled = state.withLock { state in
                state.task = task
                return state.isCancelled
            }
            if isCancelled { task.cancel() }
        }

        func join() { state.withLock { $0.waiting += 1 } }

        /// - Returns: Whether another caller still waits.
        func leave() -> Bool {
            state.withLock { state in
                state.waiting -= 1
                return state.waiting > 0
            }
        }

        /// Cancels it, also when it has not started yet.
        func cancel() {
            let task = state.withLock { state in
                state.isCancelled = true
                return state.task
            }
            task?.cancel()
        }
    }

    private let current = Lock<Turn?>(nil)

    /// Whether a sign-in is in progress.
    var isTaken: Bool { current.withLock { $0 != nil } }

    /// Signs in when it is this caller's turn.
    ///
    /// A cancelled caller returns at once when others wait for the same sign-in; the sign-in is cancelled with its last
    /// caller.
    func take(
        _ policy: SignInClient.SecondSignIn,
        _ body: @escaping @Sendable () async throws(SignInError) -> Session
    ) async throws(SignInError) -> Session {
        let mine = Turn()
        let first = current.withLock { current in
            let first = current
            switch (first, policy) {
            case (nil, _), (_, .replace): current = mine
            case (let first?, .join): first.join()
            case (_, .reject): break
            }
            return first
        }
        if let first {
            switch policy {
            case .reject: throw SignInError(.authorization, .alreadyInProgress)
            case .join: return try await outcome(of: first)
            case .replace: first.cancel()
            }
        }
        mine.start { [self] in
            _ = await first?.outcome.value()
            let outcome: Outcome
            do throws(SignInError) { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            current.withLock { if $0 === mine { $0 = nil } }
            return outcome
        }
        return try await outcome(of: mine)
    }

    private func outcome(of turn: Turn) async throws(SignInError) -> Session {
        let own = OneAnswer<Outcome>()
        let relay = Task { own.set(await turn.outcome.value()) }
        defer { relay.cancel() }
        let outcome = await withTaskCancellationHandler {
            await own.value()
        } onCancel: {
            if turn.leave() {
                own.set(.failure(SignInError(.authorization, .cancelled)))
            } else {
                turn.cancel()
            }
        }
        return try outcome.get()
    }
}

/// Allows one sign-in at a time: a user sees one page at a time.
public final class SignInGate: Sendable {
    private let isTaken = Lock(false)

    /// Makes a gate that is free.
    public init() {}

    /// Runs a sign-in if none is in progress.
    ///
    /// The gate is free again when the sign-in ends, whatever its outcome.
    ///
    /// - Parameters:
    ///   - busy: The error while another sign-in is in progress, such as
    ///     `SignInError(.authorization, .alreadyInProgress)`.
    ///   - body: The sign-in.
    /// - Returns: The result of the sign-in.
    /// - Throws: `busy`, and the sign-in has not begun; otherwise the error of the sign-in.
    public func run<Value, Failure: Error>(
        orThrow busy: Failure,
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let isBusy = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        if isBusy { throw busy }
        defer { isTaken.withLock { $0 = false } }
        return try await body()
    }
}

extension SignInClient {
    /// The behavior of a second sign-in of the same client while the first is in progress, for example after a second
    /// tap on a button.
    public enum SecondSignIn: Sendable, Hashable {
        /// It fails with `alreadyInProgress`, and the first continues.
        case reject
        /// The first is cancelled, and the second begins when its page is gone.
        case replace
        /// It has the outcome of the first; its own request is ignored.
        case join
    }
}
