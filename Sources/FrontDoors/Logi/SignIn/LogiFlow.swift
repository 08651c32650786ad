import Ostiary
import OstiaryCompatibility

/// One sign-in that is in progress.
public struct LogiFlow: Sendable, Hashable {
    /// The app in which the user is.
    public enum Leg: String, Sendable, Hashable {
        /// Nowhere yet.
        case starting
        /// In the provider's own app, which sends no signal when the user leaves it without a response.
        case native
        /// In a browser.
        case web
    }

    /// The number of the flow, so that a cancellation of one never affects a later one.
    public let id: Int
    /// The app in which the user is.
    public internal(set) var leg: Leg
}

/// Allows one flow at a time, and reports it.
final class LogiFlows: Sendable {
    private struct State {
        var last = 0
        var current: LogiFlow?
        var presentationFailed = false
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Lock(State())
    private let gate = SignInGate()

    var current: LogiFlow? { state.withLock { $0.current } }

    /// Whether no page could be presented in the previous flow.
    var presentationFailed: Bool { state.withLock { $0.presentationFailed } }

    func move(to leg: LogiFlow.Leg) { state.withLock { $0.current?.leg = leg } }

    func notePresentationFailure() { state.withLock { $0.presentationFailed = true } }

    /// Ends one flow, and no other.
    ///
    /// - Returns: Whether it was in progress.
    func cancel(_ flow: LogiFlow) -> Bool {
        let (found, cancel): (Bool, (@Sendable () -> Void)?) = state.withLock { state in
            guard state.current?.id == flow.id else { return (false, nil) }
            state.isCancelled = true
            return (true, state.cancel)
        }
        cancel?()
        return found
    }

    /// Runs a flow, unless one is in progress.
    ///
    /// The place is taken before anything else happens, so of two calls at once one is refused.
    func run<T: Sendable>(
        _ body: @escaping @Sendable () async throws(SignInError) -> T
    ) async throws(SignInError) -> T {
        try await gate.run(orThrow: SignInError(.authorization, .alreadyInProgress)) {
            () async throws(SignInError) -> T in
            try await flow(body)
        }
    }

    private func flow<T: Sendable>(
        _ body: @escaping @Sendable () async throws(SignInError) -> T
    ) async throws(SignInError) -> T {
        begin()
        let task = Task { () async -> Result<T, SignInError> in
            do throws(SignInError) { return .success(try await body()) } catch { return .failure(error) }
        }
        if attach({ task.cancel() }) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        end()
        return try result.get()
    }

    private func begin() {
        state.withLock { state in
            state.last += 1
            state.current = LogiFlow(id: state.last, leg: .starting)
            state.isCancelled = false
            state.presentationFailed = false
        }
    }

    /// - Returns: Whether the flow was cancelled before this.
    private func attach(_ cancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
    }

    private func end() {
        state.withLock { state in
            state.current = nil
            state.cancel = nil
        }
    }
}
