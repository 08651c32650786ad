import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A store in the memory of this process: for tests and for trying out a service with one instance.
///
/// Its data ends with the process. One lock guards all of it, so it is not made for the proofs of a busy service: a
/// ``LocalReplayStore`` is.
public final class MemoryServerStore: ServerStore {
    fileprivate struct Redemption {
        let request: StoreDigest
        let expiry: Date
        let deadline: Date
        var answer: (bytes: [UInt8], expiry: Date)?
    }

    fileprivate struct Held {
        let lease: RefreshLease
        var isShown = false
    }

    fileprivate struct Replayed {
        let owner: StoreDigest
        let expiry: Date
    }

    fileprivate struct Contents {
        var replayed: [StoreDigest: Replayed] = [:]
        var shown: [StoreDigest: Int] = [:]
        var redemptions: [StoreDigest: Redemption] = [:]
        var values: [StoreDigest: (value: [UInt8], expiry: Date)] = [:]
        var sessions: [StoreDigest: ServerSessionRecord] = [:]
        var leases: [StoreDigest: Held] = [:]
        /// By the bytes of the subject: canonically equivalent strings are different subjects.
        var verifications: [[UInt8]: ServerVerificationRecord] = [:]
        var limits: [StoreDigest: Date] = [:]
        var expiries = Expiries()
    }

    /// The times at which entries of each table expire.
    fileprivate struct Expiries {
        var replayed = ExpiryQueue()
        var redemptions = ExpiryQueue()
        var values = ExpiryQueue()
        var sessions = ExpiryQueue()
        var limits = ExpiryQueue()
    }

    private let room: Int
    private let contents = Lock(Contents())
    let revoked = MemoryRevocations()
    let pending = MemoryPendingRevocations()

    /// Makes an empty store.
    ///
    /// - Parameter room: The largest number of one owner's identifiers. Default 10,000.
    public init(replayRoom room: Int = 10_000) { self.room = room }

    // MARK: ReplayStore

    /// Remembers an identifier as long as the process runs.
    public func insert(
        _ identifier: StoreDigest,
        owner: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> ReplayAnswer {
        contents.withLock { contents in
            if let old = contents.replayed[identifier] {
                guard old.expiry <= now else { return .replayed }
                contents.forget(identifier, of: old.owner)
            }
            if contents.shown[owner, default: 0] >= room {
                _ = contents.forgetReplayed(at: now)
                guard contents.shown[owner, default: 0] < room else { return .full }
            }
            contents.replayed[identifier] = Replayed(owner: owner, expiry: expiry)
            contents.expiries.replayed.append(identifier, expiring: expiry)
            contents.shown[owner, default: 0] += 1
            return .inserted
        }
    }

    /// Whether an identifier is remembered at `now`.
    public func contains(_ identifier: StoreDigest, now: Date) async throws(StorageFailure) -> Bool {
        contents.withLock { ($0.replayed[identifier]?.expiry ?? .distantPast) > now }
    }

    // MARK: RedemptionStore

    /// Claims a code.
    public func claim(
        _ code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        answeredBy deadline: Date,
        now: Date
    ) async throws(StorageFailure) -> RedemptionClaim {
        contents.withLock { contents in
            guard let old = contents.redemptions[code], old.expiry > now else {
                contents.redemptions[code] = Redemption(request: request, expiry: expiry, deadline: deadline)
                contents.expiries.redemptions.append(code, expiring: expiry)
                return .claimed
            }
            guard old.request == request else { return .used }
            guard let answer = old.answer else { return old.deadline > now ? .underWay : .used }
            return answer.expiry > now ? .answered(answer.bytes) : .used
        }
    }

    /// Releases the claim of a code that was not redeemed.
    public func release(_ code: StoreDigest, for request: StoreDigest) async throws(StorageFailure) {
        contents.withLock { contents in
            guard let old = contents.redemptions[code], old.request == request, old.answer == nil else { return }
            contents.redemptions[code] = nil
        }
    }

    /// Stores the response for a code.
    public func record(
        _ answer: [UInt8],
        of code: StoreDigest,
        for request: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            guard let old = contents.redemptions[code], old.request == request, old.answer == nil, old.expiry > now
            else {
                return false
            }
            contents.redemptions[code]?.answer = (answer, expiry)
            return true
        }
    }

    // MARK: OneTimeStore

    /// Stores a value that can be taken once.
    public func put(
        _ value: [UInt8],
        as name: StoreDigest,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            if let old = contents.values[name], old.expiry > now { return false }
            contents.values[name] = (value, expiry)
            contents.expiries.values.append(name, expiring: expiry)
            return true
        }
    }

    /// Takes a value.
    public func take(_ name: StoreDigest, now: Date) async throws(StorageFailure) -> [UInt8]? {
        contents.withLock { contents in
            guard let found = contents.values.removeValue(forKey: name), found.expiry > now else { return nil }
            return found.value
        }
    }

    // MARK: ServerSessionStore

    /// Stores a new session.
    public func insert(_ session: ServerSessionRecord) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            guard contents.sessions[session.id] == nil else { return false }
            contents.sessions[session.id] = session
            contents.expiries.sessions.append(session.id, expiring: session.expiry)
            return true
        }
    }

    /// A session that has not expired.
    public func session(_ id: StoreDigest, now: Date) async throws(StorageFailure) -> ServerSessionRecord? {
        contents.withLock { contents in contents.sessions[id].flatMap { $0.hasExpired(at: now) ? nil : $0 } }
    }

    /// Replaces a session that is still of the version that was read.
    public func replace(with session: ServerSessionRecord, now: Date) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            guard let old = contents.sessions[session.id], !old.hasExpired(at: now), old.version == session.version - 1
            else { return false }
            contents.sessions[session.id] = session
            contents.leases[session.id] = nil
            if session.expiry < old.expiry {
                contents.expiries.sessions.append(session.id, expiring: session.expiry)
            }
            return true
        }
    }

    /// Extends the idle expiry of a session.
    public func extendIdle(_ id: StoreDigest, until idleExpiry: Date, now: Date) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            guard let session = contents.sessions[id], !session.hasExpired(at: now) else { return false }
            contents.sessions[id]?.idleExpiry = max(session.idleExpiry, idleExpiry)
            return true
        }
    }

    /// Removes a session that is still of a version.
    public func remove(_ id: StoreDigest, version: Int) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            guard contents.sessions[id]?.version == version else { return false }
            contents.sessions[id] = nil
            contents.leases[id] = nil
            return true
        }
    }

    /// Removes a session.
    public func remove(_ id: StoreDigest) async throws(StorageFailure) {
        contents.withLock { contents in
            contents.sessions[id] = nil
            contents.leases[id] = nil
        }
    }

    /// Removes the sessions that a logout token names, and stores the revocations of their refresh tokens.
    public func removeSessions(
        issuer: String,
        subject: String?,
        sessionID: String?,
        revoking revocation: @escaping @Sendable (ServerSessionRecord) -> PendingRevocation?
    ) async throws(StorageFailure) -> [ServerSessionRecord] {
        guard subject != nil || sessionID != nil else { return [] }
        return contents.withLock { contents in
            let meant = contents.sessions.values.filter { session in
                session.issuer.utf8.elementsEqual(issuer.utf8)
                    && subject.map { session.subject.utf8.elementsEqual($0.utf8) } ?? true
                    && sessionID.map { wanted in session.sessionID?.utf8.elementsEqual(wanted.utf8) ?? false } ?? true
            }
            for session in meant {
                if let revocation = revocation(session) { pending.save(revocation) }
                contents.sessions[session.id] = nil
                contents.leases[session.id] = nil
            }
            return meant
        }
    }

    // MARK: SessionListStore

    /// The sessions of a subject.
    public func sessions(
        issuer: String,
        subject: String,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [ServerSessionRecord] {
        contents.withLock { contents in
            contents.sessions.values
                .filter { session in
                    !session.hasExpired(at: now) && session.issuer.utf8.elementsEqual(issuer.utf8)
                        && session.subject.utf8.elementsEqual(subject.utf8)
                }
                .sorted { $0.created > $1.created }.prefix(max(0, limit)).map { $0 }
        }
    }

    // MARK: RefreshLeaseStore

    /// Takes the lease of a session.
    public func lease(
        _ session: StoreDigest,
        version: Int,
        owner: String,
        until expiry: Date,
        now: Date
    ) async throws(StorageFailure) -> RefreshLeaseAnswer {
        contents.withLock { contents in
            guard let current = contents.sessions[session], !current.hasExpired(at: now), current.version == version
            else {
                return .superseded
            }
            if let held = contents.leases[session] {
                guard held.lease.expiry <= now else { return .held(until: held.lease.expiry) }
                guard !held.isShown else { return .lost }
            }
            let lease = RefreshLease(session: session, version: version, owner: owner, expiry: expiry)
            contents.leases[session] = Held(lease: lease)
            return .granted(lease)
        }
    }

    /// Records that the refresh token of a lease is about to be presented.
    public func markShown(_ lease: RefreshLease, now: Date) async throws(StorageFailure) -> Bool {
        contents.withLock { contents in
            guard let held = contents.leases[lease.session], held.lease.owner == lease.owner,
                held.lease.version == lease.version, held.lease.expiry > now, !held.isShown
            else { return false }
            contents.leases[lease.session]?.isShown = true
            return true
        }
    }

    /// Releases a lease whose refresh token was certainly not used, or may be presented again.
    public func release(_ lease: RefreshLease) async throws(StorageFailure) {
        contents.withLock { contents in
            guard let held = contents.leases[lease.session], held.lease.owner == lease.owner,
                held.lease.version == lease.version
            else { return }
            contents.leases[lease.session] = nil
        }
    }

    // MARK: VerificationRecordStore

    /// Stores a record in place of an older one.
    public func save(_ record: ServerVerificationRecord) async throws(StorageFailure) {
        contents.withLock { contents in
            if let old = contents.verifications[Array(record.subject.utf8)], old.verifiedAt > record.verifiedAt {
                return
            }
            contents.verifications[Array(record.subject.utf8)] = record
        }
    }

    /// The record of a subject.
    public func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord? {
        contents.withLock { $0.verifications[Array(subject.utf8)] }
    }

    /// Removes the record of a subject.
    public func removeVerification(of subject: String) async throws(StorageFailure) {
        contents.withLock { $0.verifications[Array(subject.utf8)] = nil }
    }

    // MARK: RateLimitStore

    /// Counts one request.
    public func take(
        _ limit: RateLimit,
        for name: StoreDigest,
        now: Date
    ) async throws(StorageFailure) -> RateLimitAnswer {
        contents.withLock { contents in
            let (answer, full) = limit.answer(full: contents.limits[name], now: now)
            if let full {
                let isNew = contents.limits.updateValue(full, forKey: name) == nil
                if isNew { contents.expiries.limits.append(name, expiring: full) }
            }
            return answer
        }
    }

    // MARK: ExpiringStore

    /// Removes some expired entries.
    public func removeExpired(limit: Int, now: Date) async throws(StorageFailure) -> Int {
        guard limit > 0 else { return 0 }
        var removed = contents.withLock { $0.removeExpired(limit: limit, now: now) }
        removed += revoked.removeExpired(limit: limit - removed, now: now)
        return removed + pending.removeExpired(limit: limit - removed, now: now)
    }
}

extension MemoryServerStore.Contents {
    fileprivate mutating func forget(_ identifier: StoreDigest, of owner: StoreDigest) {
        replayed[identifier] = nil
        let left = shown[owner, default: 1] - 1
        shown[owner] = left > 0 ? left : nil
    }

    fileprivate mutating func forgetReplayed(limit: Int = .max, at now: Date) -> Int {
        var queue = ExpiryQueue()
        swap(&queue, &expiries.replayed)
        defer { swap(&queue, &expiries.replayed) }
        return queue.sweep(limit: limit, now: now, expiry: { replayed[$0]?.expiry }) { identifier in
            if let owner = replayed[identifier]?.owner { forget(identifier, of: owner) }
        }
    }

    fileprivate mutating func removeExpired(limit: Int, now: Date) -> Int {
        var removed = forgetReplayed(limit: limit, at: now)
        removed += expiries.redemptions.sweep(
            limit: limit - removed,
            now: now,
            expiry: { redemptions[$0]?.expiry },
            remove: { redemptions[$0] = nil }
        )
        removed += expiries.values.sweep(
            limit: limit - removed,
            now: now,
            expiry: { values[$0]?.expiry },
            remove: { values[$0] = nil }
        )
        removed += expiries.sessions.sweep(
            limit: limit - removed,
            now: now,
            expiry: { sessions[$0]?.expiry },
            remove: { id in
                sessions[id] = nil
                leases[id] = nil
            }
        )
        removed += expiries.limits.sweep(
            limit: limit - removed,
            now: now,
            expiry: { limits[$0] },
            remove: { limits[$0] = nil }
        )
        return removed
    }
}

extension ServerSessionRecord {
    /// When it ends, unless it is used.
    fileprivate var expiry: Date { min(idleExpiry, absoluteExpiry) }
}
