import OstiaryOAuth

/// Lets one refresh of a session be under way at a time; everybody who asks meanwhile gets its answer.
actor RefreshCoordinator {
    private var flight: Flight?

    private struct Flight {
        let target: AccessTokenTarget
        let task: Task<Result<TokenSet, SignInError>, Never>
    }

    /// Tokens that last, from the flight under way, from the one before, or from a new one.
    ///
    /// All targets share one refresh token, so flights for two of them go one after the other.
    ///
    /// - Parameters:
    ///   - target: Which access token is wanted.
    ///   - margin: Seconds that it has to last; `nil` asks for a new one in any case.
    func tokens(
        of session: Session,
        for target: AccessTokenTarget,
        lasting margin: Double?
    ) async throws(SignInError) -> TokenSet {
        while let flight {
            let result = await flight.task.value
            if flight.target == target { return try result.get() }
        }
        // Between the caller's look and this one another flight may have ended.
        if let margin, try session.freshToken(for: target, lasting: margin) != nil { return session.current.tokens }
        // The flight is a task of its own: a caller that is cancelled does not take the others' tokens with it.
        let task = Task { await fly(session, target: target, margin: margin) }
        flight = Flight(target: target, task: task)
        return try await task.value.get()
    }

    private func fly(
        _ session: Session,
        target: AccessTokenTarget,
        margin: Double?
    ) async -> Result<TokenSet, SignInError> {
        defer { flight = nil }
        do throws(SignInError) {
            let state = session.current
            if !state.isSaved {
                // The last flight could not store its tokens: they are good, only not safe yet.
                try await session.save()
                if let margin, try session.freshToken(for: target, lasting: margin) != nil {
                    return .success(session.current.tokens)
                }
            }
            return .success(try await renew(session, for: target, from: session.current.tokens))
        } catch {
            return .failure(error)
        }
    }

    private func renew(
        _ session: Session,
        for target: AccessTokenTarget,
        from tokens: TokenSet
    ) async throws(SignInError) -> TokenSet {
        let client = session.client
        let grant = try RefreshGrant(tokens, for: target)
        let renewed: TokenSet
        do throws(SignInError) {
            let server = try await client.directory.server()
            renewed = try await client.redeem(TokenExchange(grant, client: client.client, server: server))
        } catch {
            guard error.endsSession else { throw error }
            try await end(session)
            throw error
        }
        guard session.take(renewed) else {
            // The person signed out meanwhile: nobody may keep these.
            _ = await client.revoke(renewed)
            throw SignInError(.refresh, .signInRequired)
        }
        try await session.save()
        if session.end != nil {
            // The end came between taking and storing: it removed the value before this one, or put another there.
            if let newest = client.sessions.newest {
                try? await newest.save()
            } else {
                try? await client.store.remove(client.storeKey)
            }
            _ = await client.revoke(renewed)
            throw SignInError(.refresh, .signInRequired)
        }
        client.events(.refreshed)
        return renewed
    }

    /// The server has ended the session, in so many words.
    private func end(_ session: Session) async throws(SignInError) {
        session.finish(.endedByProvider)
        do throws(StorageFailure) {
            try await session.client.store.remove(session.client.storeKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }
}
