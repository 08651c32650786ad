public import OstiaryOAuth

extension SignInClient {
    /// What became of revocations that had failed.
    public struct RevocationRetry: Sendable, Hashable {
        /// How many are done with: confirmed, or beyond what the server can do.
        public var finished = 0
        /// How many are still to be made.
        public var remaining = 0
        /// Why the last one failed, or could not be read.
        public var failure: SignInError?

        package init() {}
    }

    /// Makes the revocations that earlier sign-outs could not.
    ///
    /// Call it when the app starts; a sign-in does it by itself. It tries each token once, and gives up what is older than
    /// 30 days or was tried 20 times.
    @discardableResult
    public func retryRevocations() async -> RevocationRetry {
        var retry = RevocationRetry()
        let pending: PendingRevocations
        do throws(StorageFailure) {
            pending = try await pendingRevocations()
        } catch {
            retry.failure = SignInError(.storage, .storage(error))
            return retry
        }
        guard !pending.entries.isEmpty else { return retry }
        for entry in pending.entries {
            let error = await revoke(entry.token)
            let isOver = error.map { !$0.mayPass } ?? true
            if isOver { retry.finished += 1 } else { retry.failure = error }
            do throws(StorageFailure) {
                // Read again: another process may have added one meanwhile.
                retry.remaining = try await change {
                    isOver ? $0.remove(entry.token) : $0.countAttempt(of: entry.token)
                }
            } catch {
                retry.failure = SignInError(.storage, .storage(error))
            }
        }
        return retry
    }

    /// Makes them in a task of its own, if there are any now: a sign-in does not wait for what is over.
    func startRetryingRevocations() async {
        guard let pending = try? await pendingRevocations(), !pending.entries.isEmpty else { return }
        Task { await retryRevocations() }
    }

    /// Revokes a refresh token; one that cannot be revoked now is kept for later, from before the attempt on.
    ///
    /// - Returns: Why it may still be good, and whether it is kept.
    func revokeOrKeep(_ token: Secret) async -> (SignInError?, willRetry: Bool) {
        var isKept = false
        do throws(StorageFailure) {
            try await change { $0.add(token, now: context.clock.now) }
            isKept = true
        } catch {
            // A store that fails now does not keep the token from being revoked now.
        }
        let error = await revoke(token)
        guard isKept, error == nil || error?.mayPass == false else { return (error, isKept) }
        do throws(StorageFailure) {
            try await change { $0.remove(token) }
        } catch {
            // Revoked once more, it is no worse.
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

    /// Changes what is kept, and removes the value when nothing is left.
    ///
    /// - Returns: How many are left.
    @discardableResult
    private func change(_ body: (inout PendingRevocations) -> Void) async throws(StorageFailure) -> Int {
        // A look and the write after it: without the lock, of two sign-outs at once one token would be forgotten.
        let hold = try await lock.take(revocationsKey.description + " write", waiting: 10)
        defer { hold.release() }
        var pending = try await pendingRevocations()
        body(&pending)
        pending.giveUp(now: context.clock.now)
        if pending.entries.isEmpty {
            try await store.remove(revocationsKey)
        } else {
            try await store.write(pending.bytes, for: revocationsKey)
        }
        return pending.entries.count
    }

    private var revocationsKey: StoreKey { .revocations(issuer: issuer, clientID: client.id, account: account) }
}

extension SignInError {
    /// Whether the same request may succeed later.
    fileprivate var mayPass: Bool {
        switch reason {
        case .transport(let failure): ![.insecureURL, .invalidRequest, .redirectRefused].contains(failure)
        case .server(let status): status >= 500 || status == 429 || status == 408
        case .refused(let error): [.serverError, .temporarilyUnavailable, .invalidClient].contains(error.code)
        case .cancelled, .timedOut: true
        // The metadata or the keys could not be read, which a server puts right.
        case .malformed, .mismatch: stage == .discovery
        default: false
        }
    }
}
