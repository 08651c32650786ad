import Foundation
import OstiaryCompatibility
import OstiaryServer

/// A store in memory that can be away.
final class SwitchedServerStore: ServerStore {
    private let inner = MemoryServerStore()
    private let failing = Lock<StorageFailure?>(nil)
    private let failingWrites = Lock<StorageFailure?>(nil)
    private let failingTake = Lock<StorageFailure?>(nil)
    private let losing = Lock<(@Sendable () async -> Void)?>(nil)

    /// A call about a lease.
    enum LeaseCall: Sendable { case take, mark }
    private let before = Lock<[LeaseCall: @Sendable () -> Void]>([:])

    private let isCrashing = Lock(false)
    private let readSessions = Lock(0)
    private let isForgetful = Lock(false)
    private let isOvereager = Lock(false)
    private let inserted = Lock<[ServerSessionRecord]>([])

    /// Stores no revocation from now on when sessions are removed.
    func forgetRevocations() { isForgetful.withLock { $0 = true } }

    /// Stores the revocations of all sessions from now on when some are removed.
    func revokeAll() { isOvereager.withLock { $0 = true } }

    /// Does something before each call of a kind from now on; `nil` for nothing.
    func before(_ call: LeaseCall, _ body: (@Sendable () -> Void)?) { before.withLock { $0[call] = body } }

    /// The number of times that a session was read.
    var sessionReads: Int { readSessions.withLock { $0 } }

    /// Removes sessions from now on without telling the caller, as for a process that ends right after it.
    func crashAfterRemovingSessions() { isCrashing.withLock { $0 = true } }

    /// Fails every call from now on; `nil` for none.
    func fail(_ failure: StorageFailure?) { failing.withLock { $0 = failure } }

    /// Fails the calls that change sessions from now on; `nil` for none.
    func failSessionChanges(_ failure: StorageFailure?) { failingWrites.withLock { $0 = failure } }

    /// Fails the next call that takes a stored sign-in.
    func failNextTake(_ failure: StorageFailure) { failingTake.withLock { $0 = failure } }

    /// Replaces a session at the next call, does something, and reports a failure: the response was lost.
    func loseNextReplacement(after body: @escaping @Sendable () async -> Void) { losing.withLock { $0 = body } }

    private var there: MemoryServerStore {
        get throws(StorageFailure) {
            if let failure = failing.withLock({ $0 }) { throw failure }
            return inner
        }
    }

    private var writable: MemoryServerStore {
        get throws(StorageFailure) {
            if let failure = failingWrites.withLock({ $0 }) { throw failure }
            return try there
        }
    }

    func insert(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> ReplayAnswer {
        try await there.insert(identifier, owner: owner, until: expiry, now: now)
    }

    func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
        try await there.contains(identifier, now: now)
    }

    func claim(
        _ code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        answeredBy deadline: Date,
        now: Date
    ) async throws(StorageFailure) -> RedemptionClaim {
        try await there.claim(code, for: request, until: expiry, answeredBy: deadline, now: now)
    }

    func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure) {
        try await there.release(code, for: request)
    }

    func record(
        _ answer: [UInt8],
        of code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> Bool {
        try await there.record(answer, of: code, for: request, until: expiry, now: now)
    }

    func put(_ value: [UInt8], as name: StoreDigest, until expiry: Date, now: Date) async throws(StorageFailure)
        -> Bool
    {
        try await there.put(value, as: name, until: expiry, now: now)
    }

    func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]? {
        let failure = failingTake.withLock { failure in
            defer { failure = nil }
            return failure
        }
        if let failure { throw failure }
        return try await there.take(name, now: now)
    }

    func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool {
        inserted.withLock { $0.append(session) }
        return try await writable.insert(session)
    }

    func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord? {
        readSessions.withLock { $0 += 1 }
        return try await there.session(id, now: now)
    }

    func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool {
        let body = losing.withLock { body in
            defer { body = nil }
            return body
        }
        let isReplaced = try await writable.replace(with: session, now: now)
        guard let body else { return isReplaced }
        await body()
        throw .unavailable
    }

    func extendIdle(_ id: StoreDigest, until idleExpiry: Date, now: Date) async throws(StorageFailure) -> Bool {
        try await writable.extendIdle(id, until: idleExpiry, now: now)
    }

    func remove(_ id: StoreDigest) async throws(StorageFailure) { try await writable.remove(id) }

    func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool {
        try await writable.remove(id, version: version)
    }

    func removeSessions(
        issuer: String,
        subject: String?,
        sessionID: String?,
        revoking revocation: @escaping @Sendable (ServerSessionRecord) -> PendingRevocation?
    ) async throws(StorageFailure) -> [ServerSessionRecord] {
        var stored = revocation
        if isForgetful.withLock({ $0 }) { stored = { _ in nil } }
        if isOvereager.withLock({ $0 }) {
            for record in inserted.withLock({ $0 }) {
                if let other = revocation(record) { try await writable.savePendingRevocation(other) }
            }
        }
        let removed = try await writable.removeSessions(
            issuer: issuer,
            subject: subject,
            sessionID: sessionID,
            revoking: stored
        )
        if isCrashing.withLock({ $0 }) { throw .unavailable }
        return removed
    }

    func sessions(
        issuer: String,
        subject: String,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [ServerSessionRecord] {
        try await there.sessions(issuer: issuer, subject: subject, limit: limit, now: now)
    }

    func lease(
        _ session: StoreDigest,
        version: Int,
        owner: String,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> RefreshLeaseAnswer {
        before.withLock { $0[.take] }?()
        return try await there.lease(session, version: version, owner: owner, until: expiry, now: now)
    }

    func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool {
        before.withLock { $0[.mark] }?()
        return try await there.markShown(lease, now: now)
    }

    func release(_ lease: RefreshLease) async throws(StorageFailure) { try await there.release(lease) }

    func save(_ record: ServerVerificationRecord) async throws(StorageFailure) { try await there.save(record) }

    func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord? {
        try await there.verification(of: subject)
    }

    func removeVerification(of subject: String) async throws(StorageFailure) {
        try await there.removeVerification(of: subject)
    }

    func take(_ limit: RateLimit, for name: StoreDigest, now: Date) async throws(StorageFailure) -> RateLimitAnswer {
        try await there.take(limit, for: name, now: now)
    }

    func revoke(_ record: RevocationRecord) async throws(StorageFailure) { try await there.revoke(record) }

    func revocations(
        since start: Date,
        after last: StoreDigest?,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [RevocationRecord] {
        try await there.revocations(since: start, after: last, limit: limit, now: now)
    }

    func savePendingRevocation(_ revocation: PendingRevocation) async throws(StorageFailure) {
        try await there.savePendingRevocation(revocation)
    }

    func claimPendingRevocations(
        of client: StoreDigest,
        limit: Int,
        until end: Date,
        now: Date
    ) async throws(StorageFailure) -> [PendingRevocation] {
        try await there.claimPendingRevocations(of: client, limit: limit, until: end, now: now)
    }

    func removePendingRevocation(_ name: StoreDigest) async throws(StorageFailure) {
        try await there.removePendingRevocation(name)
    }

    func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int {
        try await there.removeExpired(limit: limit, now: now)
    }
}
