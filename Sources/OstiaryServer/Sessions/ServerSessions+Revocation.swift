import OstiaryCompatibility
import OstiaryJOSE
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The end of sessions, and the revocation of their refresh tokens. (RFC 7009)
extension ServerSessions {
    /// Ends a session here, and revokes its refresh token at the issuer if that can be done.
    ///
    /// The caller does not wait for the issuer, which gets four revocations at a time. One that fails for a passing reason is tried
    /// three times, after 1 and 5 seconds or the issuer's `Retry-After` of up to 30. The refresh token is stored, sealed, until the
    /// issuer has confirmed its revocation; ``revokePendingContinuously()`` attempts it again for a week.
    /// ``settle()`` waits for an attempt that is under way, and neither for the pause after it nor for another one.
    ///
    /// - Throws: A failure of the store; the session may continue then, and the call can be repeated.
    public func end(_ session: ServerSession) async throws(StorageFailure) {
        var record = session.record
        for _ in 0..<8 {
            // First: a process that ends between the two steps leaves no refresh token behind.
            let revocation = try await storedRevocation(of: record)
            guard try await !store.remove(record.id, version: record.version) else { return start(revocation) }
            // A refresh has replaced the session since it was read: what counts is the token that it brought.
            guard let current = try await store.session(record.id, now: clock.now()) else { return }
            record = current
        }
        let revocation = try await storedRevocation(of: record)
        try await store.remove(record.id)
        start(revocation)
    }

    /// Ends every session of a user in a store, revokes the refresh tokens of named clients, and refuses the user's access
    /// tokens.
    ///
    /// For an administrator, and for a user's request to be forgotten. The revocations are stored in the step that removes
    /// the sessions.
    ///
    /// - Parameters:
    ///   - subject: The user's identifier at the issuer (`sub`).
    ///   - issuer: The issuer.
    ///   - store: The store of the sessions and of the clients.
    ///   - clients: The sessions of the clients whose refresh tokens are revoked.
    ///   - revocations: The revoked access tokens that the instances share. Default: access tokens stay valid.
    /// - Returns: The number of sessions.
    /// - Throws: A failure of the store; sessions may be left then, and the call can be repeated.
    @discardableResult
    public static func endAll(
        of subject: String,
        at issuer: Issuer,
        in store: any ServerSessionStore,
        revokingTokensOf clients: [ServerSessions],
        revocations: SharedRevocations? = nil
    ) async throws(StorageFailure) -> Int {
        // First, as at a back-channel logout: a failed request can be repeated while there is a session.
        try await revocations?.revoke(subject: subject, of: issuer)
        return try await clients.endSessions(issuer: issuer.description, subject: subject, sessionID: nil, in: store)
    }

    /// Revokes a refresh token at the issuer, if that can be done.
    func revokeLater(_ tokens: TokenSet) async {
        guard let token = tokens.refreshToken else { return }
        let stored = try? await stored(token)
        start(RevocationQueue.Entry(token: token, stored: stored))
    }

    // MARK: Attempts

    /// The longest time for which an attempt waits, in seconds.
    private static let longestPause: Double = 30
    /// The time for which a revocation is attempted, in seconds.
    private static let revocationLifetime: Double = 604_800
    /// The time for which a revocation is stored, in seconds: a service that did not run at the end of the attempts
    /// makes the last one, and reports it, when it runs again.
    private static let revocationStorage: Double = 2 * revocationLifetime
    /// The time for which a revocation is left to the instance that stored or claimed it, in seconds.
    private static let revocationLease: Double = 300
    /// The most revocations that an instance claims at once.
    private static let claimSize = 100

    /// Stores the refresh token of a session that is about to end; `nil` for a session without one, or of another client.
    private func storedRevocation(
        of record: ServerSessionRecord
    ) async throws(StorageFailure) -> RevocationQueue.Entry? {
        guard let tokens = try? open(record), let token = tokens.refreshToken else { return nil }
        return RevocationQueue.Entry(token: token, stored: try await stored(token))
    }

    private func stored(_ token: Secret) async throws(StorageFailure) -> PendingRevocation {
        let revocation = try sealed(token)
        try await store.savePendingRevocation(revocation)
        return revocation
    }

    /// The entry of a session that is removed; `nil` for a session without a refresh token, or of another client.
    fileprivate func revocation(of record: ServerSessionRecord) -> RevocationQueue.Entry? {
        guard let tokens = try? open(record), let token = tokens.refreshToken else { return nil }
        return RevocationQueue.Entry(token: token, stored: try? sealed(token))
    }

    private func sealed(_ token: Secret) throws(StorageFailure) -> PendingRevocation {
        let now = clock.now()
        let name = StoreDigest("refresh token", [keys.issuer.description, client.id, token.reveal()])
        return PendingRevocation(
            name: name,
            client: clientName,
            sealed: try sealing.seal(Array(token.reveal().utf8), for: place(ofRevocation: name)),
            created: now,
            due: now.addingTimeInterval(Self.revocationLease),
            expiry: now.addingTimeInterval(Self.revocationStorage)
        )
    }

    private var clientName: StoreDigest { StoreDigest("client", [keys.issuer.description, client.id]) }

    private func place(ofRevocation name: StoreDigest) -> StoreDigest {
        StoreDigest(
            "pending revocation",
            [keys.issuer.description, client.id, Base64URL.encode(name.bytes)]
        )
    }

    fileprivate func start(_ entry: RevocationQueue.Entry?) {
        guard let entry else { return }
        switch revocations.add(entry) {
        case .full:
            guard let stored = entry.stored else { return report(.notRevoked) }
            flights.start { await self.putOff(stored, for: nil) }
        case .queued: break
        case .needsWorker:
            flights.start { while let next = self.revocations.next() { await self.revoke(next) } }
        }
    }

    private func revoke(_ entry: RevocationQueue.Entry) async {
        var pauses = [1.0, 5]
        while true {
            let refusal = revocationRefusal()
            if let refusal, let stored = entry.stored {
                // It does not keep a worker from the others.
                await putOff(stored, for: refusal)
                return leaveQueueIfSettling()
            }
            do throws(SignInError) {
                if let refusal { throw refusal }
                try await attempt(entry.token)
                return await forget(entry)
            } catch {
                let pause = max(pauses.isEmpty ? .infinity : pauses.removeFirst(), error.retryAfter?.inSeconds ?? 0)
                guard error.isOfIssuer, pause <= Self.longestPause, await isOver(pause) else {
                    await postpone(entry, after: error)
                    return leaveQueueIfSettling()
                }
            }
        }
    }

    /// Waits before another attempt; `false` when there is to be none, since the process ends.
    private func isOver(_ pause: Double) async -> Bool {
        await flights.pause { [clock] in try await clock.sleep(.seconds(pause)) }
    }

    /// Leaves what waits to a later process when this one ends: an issuer that fails now does not keep it.
    private func leaveQueueIfSettling() {
        guard flights.isSettling else { return }
        // The time of the last claim stands for those that are stored.
        for left in revocations.removeAll() { report(left.stored == nil ? .notRevoked : .revocationDelayed) }
    }

    /// The failure for which the issuer is not sent a revocation now; after `nil` follows ``attempt(_:)``.
    private func revocationRefusal() -> SignInError? {
        if let refusal = issuerHoldOff.refusal(at: clock.uptime()) { return refusal }
        guard case .refused(let refusal) = revocationHoldOff.admission(at: clock.uptime()) else { return nil }
        return refusal
    }

    private func attempt(_ token: Secret) async throws(SignInError) {
        do throws(SignInError) {
            let server = try await server()
            if server.revocationEndpoint != nil {
                try await transport.perform(
                    RevocationRequest(token, kind: .refreshToken, client: client, server: server),
                    in: context
                )
            }
        } catch {
            if error.isOfIssuer {
                revocationHoldOff.note(error, at: clock.uptime(), jitter: .random(in: 0...1))
            } else if case .refused = error.reason {
                revocationHoldOff.reset(at: clock.uptime())
            } else {
                revocationHoldOff.release()
            }
            throw error
        }
        revocationHoldOff.reset(at: clock.uptime())
    }

    /// Removes a stored revocation that the issuer has confirmed; one that cannot be removed now is attempted once more.
    private func forget(_ entry: RevocationQueue.Entry) async {
        if let stored = entry.stored { try? await store.removePendingRevocation(stored.name) }
    }

    /// Schedules an attempt that was not made, for a minute later or the end of the back-off.
    private func putOff(_ revocation: PendingRevocation, for refusal: SignInError?) async {
        var revocation = revocation
        revocation.due = clock.now().addingTimeInterval(max(60, min(refusal?.retryAfter?.inSeconds ?? 0, 86_400)))
        // Where the store is away, the time of the last claim stands.
        try? await store.savePendingRevocation(revocation)
        report(.revocationDelayed)
    }

    /// Schedules the next attempt after one that failed: after as long as the revocation is old, at least a minute and at
    /// most an hour, and not before the issuer's `Retry-After` is over.
    private func postpone(_ entry: RevocationQueue.Entry, after error: SignInError) async {
        guard var stored = entry.stored else { return report(.notRevoked) }
        let now = clock.now()
        let age = now.timeIntervalSince(stored.created)
        stored.due = now.addingTimeInterval(max(min(max(age, 60), 3600), min(error.retryAfter?.inSeconds ?? 0, 86_400)))
        guard !error.isOfUnsupportedRevocation, !isAbandoned(stored, at: now) else {
            await forget(entry)
            return report(.notRevoked)
        }
        // Where the store is away, the time of the last claim stands.
        try? await store.savePendingRevocation(stored)
        report(.revocationDelayed)
    }

    /// Whether the time of the attempts is over.
    private func isAbandoned(_ revocation: PendingRevocation, at time: Date) -> Bool {
        time.timeIntervalSince(revocation.created) >= Self.revocationLifetime
    }

    // MARK: Stored revocations

    /// Attempts the revocations that the issuer has not confirmed, of this and of earlier processes, about once a minute, until
    /// the task is cancelled.
    ///
    /// Run it in every instance, beside the server. Of all instances one attempts a revocation at a time. A revocation that fails is
    /// attempted again after a minute, and later after as long as it is old, at least once an hour for a week; then it is reported as
    /// ``Event/notRevoked``. One that waits for the attempt of another is attempted a minute later. One whose week ended while no
    /// instance ran is attempted and reported up to a week later.
    public func revokePendingContinuously() async {
        while !Task.isCancelled {
            await revokePending()
            // Instances that started together drift apart.
            do { try await clock.sleep(.seconds(Double.random(in: 45...75))) } catch { return }
        }
    }

    /// Attempts the revocations that are due.
    func revokePending() async {
        while issuerHoldOff.refusal(at: clock.uptime()) == nil, revocationHoldOff.refusal(at: clock.uptime()) == nil,
            !flights.isSettling
        {
            // No more than the queue has room for: the claim of one that waits for long would end meanwhile.
            let room = Self.claimSize - revocations.count
            guard room > 0 else { return }
            let now = clock.now()
            let due = try? await store.claimPendingRevocations(
                of: clientName,
                limit: room,
                until: now.addingTimeInterval(Self.revocationLease),
                now: now
            )
            for revocation in due ?? [] { await restart(revocation) }
            guard due?.count == room else { return }
        }
    }

    private func restart(_ revocation: PendingRevocation) async {
        let token: Secret
        do throws(StorageFailure) {
            let bytes = try sealing.open(revocation.sealed, for: place(ofRevocation: revocation.name))
            token = Secret(String(decoding: bytes, as: UTF8.self))
        } catch {
            // The key may only be missing here, unless it is retired.
            guard sealing.isRetired(revocation.sealed) || isAbandoned(revocation, at: clock.now()) else { return }
            try? await store.removePendingRevocation(revocation.name)
            return report(.notRevoked)
        }
        start(RevocationQueue.Entry(token: token, stored: revocation))
    }
}

extension [ServerSessions] {
    /// Ends the sessions of a user or of one of the issuer's sessions in a store, and revokes their refresh tokens.
    ///
    /// The revocations are stored in the step that removes the sessions: a process that ends right after it leaves no
    /// refresh token behind. The caller does not wait for the issuer. A session whose sealing key is retired or missing
    /// is reported as not revoked.
    ///
    /// - Returns: The number of sessions.
    @discardableResult
    func endSessions(
        issuer: String,
        subject: String?,
        sessionID: String?,
        in store: any ServerSessionStore
    ) async throws(StorageFailure) -> Int {
        let ended = try await store.removeSessions(
            issuer: issuer,
            subject: subject,
            sessionID: sessionID,
            revoking: { record in
                for client in self { if let entry = client.revocation(of: record) { return entry.stored } }
                return nil
            }
        )
        for record in ended {
            for client in self { client.start(client.revocation(of: record)) }
            // Its refresh token went with it. What a key here has sealed and none opens is of a client that is not named.
            if allSatisfy({ !$0.sealing.hasKey(of: record.sealed) }) { first?.report(.notRevoked) }
        }
        return ended.count
    }
}

extension SignInError {
    /// Whether the server does not revoke refresh tokens. (RFC 7009 section 2.2.1)
    fileprivate var isOfUnsupportedRevocation: Bool {
        if case .refused(let refusal) = reason { refusal.code == .unsupportedTokenType } else { false }
    }
}
