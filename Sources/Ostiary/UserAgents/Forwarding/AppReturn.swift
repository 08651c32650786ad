/// What is done when a person comes back from the provider's app without an answer.
///
/// No system tells an app that another one was left: the person may have said no, or looked something up on the way. So
/// coming back counts only when no redirect has followed it for a while, and the person has not left again.
public struct AppReturn: Sendable {
    /// What to do.
    public enum Decision: Sendable, Hashable {
        /// Nothing; the next return is looked at again.
        case wait
        /// End the sign-in as cancelled.
        case cancel
        /// Show the page in the other user agent.
        case openOtherwise
    }

    private let grace: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let isInFront: @Sendable () async -> Bool
    private let decide: @Sendable () async -> Decision
    private let listen: @Sendable () -> AsyncStream<Void>

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - grace: How long a redirect may take after a return. Default: a second.
    ///   - moments: Each moment at which the app comes in front of the person, from the call on.
    ///   - sleep: Waits. Default: by the continuous clock.
    ///   - isInFront: Whether the person is still in the app after the wait; who is in the provider's app again has not given
    ///     up. Default: they are.
    ///   - decide: What to do; it may ask the person. It is cancelled when the redirect comes while it asks.
    public init(
        grace: Duration = .seconds(1),
        moments: @escaping @Sendable () -> AsyncStream<Void>,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        isInFront: @escaping @Sendable () async -> Bool = { true },
        decide: @escaping @Sendable () async -> Decision
    ) {
        self.grace = grace
        self.isInFront = isInFront
        self.sleep = sleep
        self.decide = decide
        listen = moments
    }

    /// Nothing is done: the sign-in goes on until its redirect or its deadline.
    public static let ignored = AppReturn(moments: { AsyncStream { $0.finish() } }) { .wait }

    func moments() -> AsyncStream<Void> { listen() }

    /// Waits for a return after which something is to be done.
    ///
    /// - Returns: `wait` when there will be none.
    func decision(after moments: AsyncStream<Void>) async -> Decision {
        for await _ in moments {
            do { try await sleep(grace) } catch { return .wait }
            guard await isInFront() else { continue }
            let decision = await decide()
            guard decision == .wait else { return Task.isCancelled ? .wait : decision }
        }
        return .wait
    }
}
