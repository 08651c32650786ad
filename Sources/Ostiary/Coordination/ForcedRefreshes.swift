import OstiaryOAuth

/// Renews access tokens that a resource server refused though they had not expired, each of them once.
///
/// However many requests are refused with one token, one refresh follows. A token that such a refresh brought, and that is
/// refused, too, is not renewed again: the resource server does not want to be satisfied, and would get a refresh for each
/// request.
actor ForcedRefreshes {
    private struct Flight {
        let task: Task<Result<Void, SignInError>, Never>
    }

    private var flights: [AccessTokenTarget: Flight] = [:]
    /// What the last forced refresh of each target brought.
    private var brought: [AccessTokenTarget: Secret] = [:]

    /// The token that takes the place of one that was refused; `nil` when there will be none.
    ///
    /// - Throws: What the refresh throws; everybody who waits for it gets that.
    func token(
        insteadOf refused: Secret,
        for target: AccessTokenTarget,
        of session: Session
    ) async throws(SignInError) -> Secret? {
        if let flight = flights[target] {
            try await flight.task.value.get()
        }
        if let current = session.current.tokens.access(for: target)?.value, current != refused { return current }
        guard session.isRefreshable, brought[target] != refused else { return nil }
        if let flight = flights[target] {
            try await flight.task.value.get()
        } else {
            // A task of its own: whoever is cancelled does not take the others' token with it.
            let task = Task { () -> Result<Void, SignInError> in
                do throws(SignInError) { return .success(try await session.renew(target)) } catch { return .failure(error) }
            }
            flights[target] = Flight(task: task)
            let result = await task.value
            flights[target] = nil
            try result.get()
            brought[target] = session.current.tokens.access(for: target)?.value
        }
        let renewed = session.current.tokens.access(for: target)?.value
        return renewed == refused ? nil : renewed
    }
}
