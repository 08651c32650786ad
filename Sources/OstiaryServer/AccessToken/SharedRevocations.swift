import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shares revocations of access tokens among all instances of a service, through a common store.
///
/// A revocation is in the store and in this process's list before the call returns; the other instances read it within
/// two seconds (``run()``). While the store is unavailable, earlier revocations stay in effect.
///
///     let revoked = RevokedTokens(longestLifetime: .seconds(900))
///     let revocations = SharedRevocations(of: revoked, in: store)
///     let server = ResourceServer(keys: [keys], revoked: revoked)
///     let logout = BackChannelLogout(verifier: verifier, sessions: store, revocations: revocations)
///     try await revocations.read()      // before the first request
///     await revocations.run()           // in a task of its own, as long as the service runs
public final class SharedRevocations: Sendable {
    /// An event for the log.
    ///
    /// It contains no data of a token or a user.
    public enum Event: Sendable, Hashable {
        /// The store could not be read, and the next attempt follows automatically. Reported once, not with every
        /// attempt.
        case failed(StorageFailure)
        /// This process's list is full: its oldest entries were dropped, and every token issued before they were
        /// revoked is rejected. Reported once.
        case full
        /// All revocations are known again.
        case recovered
    }

    /// The time range that every reading repeats.
    ///
    /// The clocks of two instances may differ by that much, less the time that a write takes.
    public static let overlap = Duration.seconds(60)
    /// The number of entries that are read at once.
    static let pageSize = 500

    private let tokens: RevokedTokens
    private let store: any RevocationStore
    private let interval: Duration
    private let clock: DeviceClock
    private let report: @Sendable (Event) -> Void
    /// The start of the range that may contain unread entries.
    private let unread = Lock(Date.distantPast)

    /// Connects this process's list to a store.
    ///
    /// - Parameters:
    ///   - tokens: This process's list.
    ///   - store: The store that the instances share.
    ///   - interval: The time between two readings. Default: two seconds.
    ///   - clock: The time, and the waiting. Default: the system's.
    ///   - events: Called when reading starts to fail, and when it works again. Default: none.
    public init(
        of tokens: RevokedTokens,
        in store: any RevocationStore,
        interval: Duration = .seconds(2),
        clock: DeviceClock = .server,
        events: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.tokens = tokens
        self.store = store
        self.interval = interval
        self.clock = clock
        report = events
    }

    // MARK: Revoking

    /// Revokes one token (`jti`) for every instance.
    ///
    /// - Returns: Whether there was room in this process's list, as ``RevokedTokens/revoke(tokenID:of:)``.
    /// - Throws: The store's failure. No instance knows of the revocation then, and it may be tried again.
    @discardableResult
    public func revoke(tokenID: String, of issuer: Issuer) async throws(StorageFailure) -> Bool {
        try await share(tokens.record(.tokenID, tokenID, issuer))
    }

    /// Revokes the tokens of a session (`sid`) for every instance, as far as they name it.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    /// - Throws: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(sessionID: String, of issuer: Issuer) async throws(StorageFailure) -> Bool {
        try await share(tokens.record(.sessionID, sessionID, issuer))
    }

    /// Revokes a user's tokens (`sub`) that have been issued so far, for every instance.
    ///
    /// The note of ``RevokedTokens/revoke(subject:of:)`` about a sign-in right afterwards applies here as well.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    /// - Throws: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(subject: String, of issuer: Issuer) async throws(StorageFailure) -> Bool {
        try await share(tokens.record(.subject, subject, issuer))
    }

    /// Revokes the tokens that a logout token names for every instance: those of its session, or all of its subject.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    /// - Throws: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(_ logout: LogoutToken) async throws(StorageFailure) -> Bool {
        guard let record = tokens.record(logout) else { return true }
        return try await share(record)
    }

    private func share(_ record: RevocationRecord) async throws(StorageFailure) -> Bool {
        try await store.revoke(record)
        return tokens.add(record)
    }

    // MARK: Reading

    /// Reads new entries, at first all of them.
    ///
    /// - Returns: Whether there was room for all of them; tokens as old as a dropped entry are rejected.
    /// - Throws: The store's failure. Entries read before it are in effect, and the next reading starts where this one did.
    @discardableResult
    public func read() async throws(StorageFailure) -> Bool {
        let began = clock.now()
        var start = unread.withLock(\.self)
        var last: StoreDigest?
        var hasRoom = true
        while true {
            let page = try await store.revocations(since: start, after: last, limit: Self.pageSize, now: began)
            // A full list reads on to the newest entries: those are of tokens that have not expired.
            for record in page where !tokens.add(record) { hasRoom = false }
            guard page.count >= Self.pageSize, let end = page.last else { break }
            (start, last) = (end.revokedAt, end.name)
        }
        unread.withLock { $0 = max($0, began.addingTimeInterval(-Self.overlap.inSeconds)) }
        return hasRoom
    }

    /// Reads new entries, and again after every interval, until the task is cancelled.
    public func run() async {
        var trouble: Event?
        while !Task.isCancelled {
            let found = await attempt()
            if found != trouble { report(found ?? .recovered) }
            trouble = found
            do { try await clock.sleep(interval) } catch { return }
        }
    }

    private func attempt() async -> Event? {
        do throws(StorageFailure) { return try await read() ? nil : .full } catch { return .failed(error) }
    }
}
