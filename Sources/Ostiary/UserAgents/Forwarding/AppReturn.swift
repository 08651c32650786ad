/// The reaction to a user who returns from the provider's app without a redirect.
///
/// No system reports that the user has left another app. The user may have declined there, or may have looked something
/// up in between. A return therefore counts only when no redirect follows within a grace period and the user has not
/// left again.
public struct AppReturn: Sendable {
    /// The reaction to a return.
    public enum Decision: Sendable, Hashable {
        /// Does nothing; the next return counts again.
        case wait
        /// Ends the sign-in as cancelled.
        case cancel
        /// Presents the page in the other user agent.
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
    ///   - grace: The time for a redirect to follow a return. Default: one second.
    ///   - moments: Returns the moments at which the app becomes active, from the call on.
    ///   - sleep: Waits. Default: by the continuous clock.
    ///   - isInFront: Whether the user is still in the app after the wait; a user who is in the provider's app again
    ///     has not given up. Default: yes.
    ///   - decide: Returns the reaction; it may ask the user. It is cancelled when the redirect comes in the meantime.
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

    /// No reaction: the sign-in continues until its redirect or its deadline.
    public static let ignored = AppReturn(moments: { AsyncStream { $0.finish() } }) { .wait }

    func moments() -> AsyncStream<Void> { listen() }

    /// Waits for a return that calls for a reaction.
    ///
    /// - Returns: The reaction; `wait` when no such return will come.
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
