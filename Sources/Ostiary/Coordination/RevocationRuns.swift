import OstiaryCompatibility

/// The postponed revocations of one stored session: one run at a time in this process, and none while a sign-in
/// redeems its code.
///
/// A server may end every grant of a user to a client with one refresh token (RFC 7009 section 2.1): a revocation that
/// arrives after a new sign-in would end the session that has just begun.
final class RevocationRuns: Sendable {
    typealias Run = Task<SignInClient.RevocationRetry, Never>

    private struct State {
        var run: Run?
        var holds = 0
        /// The single attempts in progress, for cancelling them.
        var attempts: [UInt64: Attempt] = [:]
        var lastAttempt: UInt64 = 0
    }

    private struct Attempt {
        let cancel: @Sendable () -> Void
        let end: @Sendable () async -> Void
    }

    private let state = Lock(State())

    /// Starts a run, or joins the one in progress; returns `nil` while a sign-in redeems its code.
    func run(_ body: @escaping @Sendable () async -> SignInClient.RevocationRetry) async -> SignInClient
        .RevocationRetry?
    {
        let run: Run? = state.withLock { state in
            guard state.holds == 0 else { return nil }
            if let run = state.run { return run }
            let run = Run { [self] in
                let retry = await body()
                self.state.withLock { $0.run = nil }
                return retry
            }
            state.run = run
            return run
        }
        return await run?.value
    }

    /// Makes one revocation.
    ///
    /// A caller that is cancelled cancels it.
    ///
    /// - Returns: `nil` while a sign-in redeems its code, and what `body` returns otherwise.
    func attempt<Outcome: Sendable>(_ body: @escaping @Sendable () async -> Outcome?) async -> Outcome? {
        let task: Task<Outcome?, Never>? = state.withLock { state in
            guard state.holds == 0 else { return nil }
            state.lastAttempt += 1
            let number = state.lastAttempt
            let task = Task { [self] in
                let outcome = await body()
                self.state.withLock { $0.attempts[number] = nil }
                return outcome
            }
            state.attempts[number] = Attempt(cancel: { task.cancel() }, end: { _ = await task.value })
            return task
        }
        guard let task else { return nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Prevents revocations until ``release()``.
    ///
    /// - Parameter patience: The time after which those that are in progress are cancelled. Default 2 seconds.
    func hold(waiting patience: Duration = .seconds(2)) async {
        let (run, attempts) = state.withLock { state in
            state.holds += 1
            return (state.run, Array(state.attempts.values))
        }
        guard run != nil || !attempts.isEmpty else { return }
        let limit = Task {
            try await Task.sleep(for: patience)
            run?.cancel()
            for attempt in attempts { attempt.cancel() }
        }
        _ = await run?.value
        for attempt in attempts { await attempt.end() }
        limit.cancel()
    }

    /// Allows revocations again.
    func release() { state.withLock { $0.holds -= 1 } }
}
