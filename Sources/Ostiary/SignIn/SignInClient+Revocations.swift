public import OstiaryOAuth

extension SignInClient {
    /// The result of retrying failed revocations.
    public struct RevocationRetry: Sendable, Hashable {
        /// The number of completed revocations: confirmed, or impossible at the server.
        public var finished = 0
        /// The number of revocations that are still to be made.
        public var remaining = 0
        /// The reason the last one failed, or could not be read.
        public var failure: SignInError?

        package init() {}
    }

    /// Revokes the refresh tokens that earlier sign-outs could not revoke.
    ///
    /// Call it when the app starts. A sign-in calls it while the user is at the page, and lets it end before it redeems
    /// the code: a server may end every grant of a user to the client with one refresh token (RFC 7009 section 2.1).
    /// For the same reason a token waits as long as a session is stored that may be of the same user.
    ///
    /// Each token is tried once for each call, at most 20 times and for at most 30 days. Calls at the same time share
    /// one run.
    @discardableResult
    public func retryRevocations() async -> RevocationRetry {
        if let retry = await owner.revocations.run({ await makeRevocations() }) { return retry }
        var retry = RevocationRetry()
        await countRemaining(&retry)
        return retry
    }

    private func makeRevocations() async -> RevocationRetry {
        var retry = RevocationRetry()
        do throws(StorageFailure) {
            guard try await !pendingRevocations().entries.isEmpty else { return retry }
            // Gives up the old ones.
            try await change { _ in }
            for entry in try await pendingRevocations().entries where await mayRevoke(of: entry.subject) {
                if Task.isCancelled { break }
                let error = await revoke(entry.token)
                if Task.isCancelled, error != nil { break }
                let isOver = error.map { !$0.keepsRevocationPending } ?? true
                if isOver { retry.finished += 1 } else { retry.failure = error }
                // The list is read again: another process may have added to it.
                try await change { isOver ? $0.remove(entry.token) : $0.countAttempt(of: entry.token) }
            }
        } catch {
            retry.failure = SignInError(.storage, .storage(error))
        }
        await countRemaining(&retry)
        return retry
    }

    private func countRemaining(_ retry: inout RevocationRetry) async {
        do throws(StorageFailure) {
            retry.remaining = try await pendingRevocations().entries.count
        } catch {
            retry.failure = SignInError(.storage, .storage(error))
        }
    }

    /// Whether no stored session can end with a token of a user; one that cannot be read for now may.
    ///
    /// `subject` is the `sub` of the token's session; `nil` when it is not known.
    func mayRevoke(of subject: String?) async -> Bool {
        do throws(SignInError) {
            guard let stored = try await vault.read() else { return true }
            guard let subject, let current = stored.tokens.identity?.subject else { return false }
            return !subject.utf8.elementsEqual(current.utf8)
        } catch {
            return error.isOfUnreadableValue
        }
    }

    /// Revokes the session that a sign-in has replaced, if that is of another user.
    func revoke(_ former: StoredSession?, replacedBy tokens: TokenSet) async {
        guard let former, tokens.isOfAnotherUser(than: former.tokens), let token = former.newestRefreshToken else {
            return
        }
        let isKept = await postpone(token, of: former.tokens.identity?.subject)
        Task { await revoke(token, kept: isKept) }
    }

    /// Revokes tokens that nothing will use, unless the session that is stored may end with them: a refresh token is
    /// kept then.
    func discard(_ tokens: TokenSet) async {
        await discard(tokens.refreshToken, or: tokens.accessToken, of: tokens.identity?.subject)
    }

    /// Revokes an unused refresh token, or an access token where there is no refresh token.
    ///
    /// `subject` is the `sub` of the tokens; `nil` when it is not proven.
    func discard(_ refreshToken: Secret?, or accessToken: Secret, of subject: String?) async {
        if let refreshToken {
            _ = await revokeOrKeep(refreshToken, of: subject)
        } else if await mayRevoke(of: subject) {
            do throws(SignInError) {
                try await revoke(accessToken, kind: .accessToken)
            } catch {
                events(.revocationFailed(error))
            }
        }
    }

    /// Revokes a session's refresh token; one that cannot be revoked now is kept for later, from before the attempt on.
    ///
    /// It is not revoked while a sign-in redeems its code, nor while a session is stored that may end with it.
    ///
    /// `subject` is the `sub` of the session; `nil` when it is not known.
    ///
    /// - Returns: The reason the token may still be valid, and whether it is stored.
    func revokeOrKeep(_ token: Secret, of subject: String?) async -> (SignInError?, willRetry: Bool) {
        let isKept = await postpone(token, of: subject)
        let outcome = await owner.revocations.attempt { () async -> (SignInError?, willRetry: Bool)? in
            guard await mayRevoke(of: subject) else { return nil }
            return await revoke(token, kept: isKept)
        }
        if let outcome { return outcome }
        return (isKept ? nil : SignInError(.revocation, .alreadyInProgress), isKept)
    }

    /// Keeps a refresh token to be revoked.
    ///
    /// - Returns: Whether it is kept; a store that fails now does not keep the token from being revoked now.
    func postpone(_ token: Secret, of subject: String?) async -> Bool {
        do throws(StorageFailure) {
            try await change { $0.add(token, of: subject, now: context.clock.now) }
            return true
        } catch {
            return false
        }
    }

    @discardableResult
    private func revoke(_ token: Secret, kept isKept: Bool) async -> (SignInError?, willRetry: Bool) {
        let error = await revoke(token)
        guard isKept, error == nil || error?.keepsRevocationPending == false else { return (error, isKept) }
        do throws(StorageFailure) {
            try await change { $0.remove(token) }
        } catch {
            // A second revocation of the same token does no harm.
        }
        return (error, false)
    }

    private func revoke(_ token: Secret) async -> SignInError? {
        do throws(SignInError) {
            try await revoke(token, kind: .refreshToken)
            return nil
        } catch {
            events(.revocationFailed(error))
            return error
        }
    }

    private func pendingRevocations() async throws(StorageFailure) -> PendingRevocations {
        try await store.read(revocationsKey).map { (bytes) throws(StorageFailure) in try PendingRevocations(bytes) }
            ?? PendingRevocations()
    }

    /// Changes the stored revocations, and removes the value when none is left.
    private func change(_ body: (inout PendingRevocations) -> Void) async throws(StorageFailure) {
        // A read and the write after it: without the lock, of two concurrent sign-outs one token would be lost.
        let hold = try await lock.acquire(revocationsKey.description + " write", waiting: .seconds(10))
        defer { hold.release() }
        var pending = try await pendingRevocations()
        body(&pending)
        pending.giveUp(now: context.clock.now)
        if pending.entries.isEmpty {
            try await store.remove(revocationsKey)
        } else {
            try await store.write(pending.bytes, for: revocationsKey)
        }
    }

    private var revocationsKey: StoreKey { .revocations(issuer: issuer, clientID: client.id, account: account) }
}

extension SignInError {
    /// Whether the token that could not be revoked is kept for another attempt, in this run of the app or a later one.
    ///
    /// More errors than those whose ``recovery`` is `retry`: within 30 days an administrator may have corrected the
    /// client's registration or the server's metadata.
    fileprivate var keepsRevocationPending: Bool {
        if isOfBusyServer { return true }
        return switch reason {
        case .transport: recovery == .retry
        case .server(let status): status == 408
        case .refused(let error): error.code == .invalidClient
        case .cancelled, .timedOut: true
        case .malformed, .mismatch: stage == .discovery
        default: false
        }
    }
}
