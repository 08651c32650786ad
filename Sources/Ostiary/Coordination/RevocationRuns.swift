import Synchronization

/// The postponed revocations of one stored session: one run at a time in this process, and none while a sign-in redeems its
/// code.
///
/// A server may end every grant of a user to a client with one refresh token (RFC 7009 section 2.1): a revocation that
/// arrives after a new sign-in would end the session that has just begun.
final class RevocationRuns: Sendable {
    typealias Run = Task<SignInClient.RevocationRetry, Never>

    private struct State {
        var run: Run?
        var holds = 0
    }

    private let state = Mutex(State())

    /// Starts a run, or joins the one under way; returns `nil` while a sign-in redeems its code.
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

    /// Keeps revocations from being made until ``release()``.
    ///
    /// - Parameter patience: How long a run that is under way may take to end by itself; it is cancelled then.
    func hold(waiting patience: Duration = .seconds(2)) async {
        let run: Run? = state.withLock { state in
            state.holds += 1
            return state.run
        }
        guard let run else { return }
        let limit = Task {
            try await Task.sleep(for: patience)
            run.cancel()
        }
        _ = await run.value
        limit.cancel()
    }

    /// Lets revocations be made again.
    func release() { state.withLock { $0.holds -= 1 } }
}
