import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tells every instance of a service which tokens are taken no more, through a store that they share.
///
/// What is revoked here is in the store before the call returns, and in the list of this process; the others read it within two
/// seconds (``run()``). A store that is away takes nothing from what is known already.
///
///     let revoked = RevokedTokens(longestLifetime: 900)
///     let revocations = SharedRevocations(of: revoked, in: store)
///     let server = ResourceServer(keys: [keys], revoked: revoked)
///     let logout = BackChannelLogout(verifier: verifier, sessions: store, revocations: revocations)
///     try await revocations.read()      // before the first request
///     await revocations.run()           // in a task of its own, as long as the service runs
public final class SharedRevocations: Sendable {
    /// What is worth a line in a log.
    ///
    /// Nothing in it is of a token or a person.
    public enum Report: Sendable, Hashable {
        /// The store could not be read; the next attempt comes by itself. It is said once, not with each attempt.
        case failed(StorageFailure)
        /// The list of this process is full: its oldest entries gave way, and every token made before they were revoked is refused. It
        /// is said once.
        case full
        /// Everything that was revoked is known again.
        case recovered
    }

    /// How many seconds are read again each time.
    ///
    /// The clocks of two instances may be so far apart, less the time that a write takes.
    public static let overlap: Double = 60
    /// How many entries are read at once.
    static let pageSize = 500

    private let tokens: RevokedTokens
    private let store: any RevocationStore
    private let interval: Duration
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    private let report: @Sendable (Report) -> Void
    /// From when on there may be something that is not known.
    private let unread = Lock(Date.distantPast)

    /// Connects the list of this process to a store.
    ///
    /// - Parameters:
    ///   - tokens: The list of this process.
    ///   - store: What the instances share.
    ///   - interval: How long to wait between two readings. Default: two seconds.
    ///   - now: The time. Default: the system's clock.
    ///   - sleep: Waits, and throws when the task is cancelled. Default: `Task.sleep`.
    ///   - report: Called when reading begins to fail, and when it works again. Default: nobody is told.
    public init(
        of tokens: RevokedTokens,
        in store: any RevocationStore,
        interval: Duration = .seconds(2),
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        reporting report: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        self.tokens = tokens
        self.store = store
        self.interval = interval
        self.now = now
        self.sleep = sleep
        self.report = report
    }

    // MARK: Revoking

    /// Has every instance take one token no more (`jti`).
    ///
    /// - Returns: Whether there was room in the list of this process, as ``RevokedTokens/revoke(tokenID:of:)``.
    /// - Throws: Why the store could not be told; nobody knows of it then, and it may be tried again.
    @discardableResult
    public func revoke(tokenID: String, of issuer: Issuer) async throws(StorageFailure) -> Bool {
        try await share(tokens.record(.tokenID, tokenID, issuer))
    }

    /// Has every instance take the tokens of a session no more (`sid`), as far as they name it.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    /// - Throws: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(sessionID: String, of issuer: Issuer) async throws(StorageFailure) -> Bool {
        try await share(tokens.record(.sessionID, sessionID, issuer))
    }

    /// Has every instance take the tokens of a person no more (`sub`) that have been made by now.
    ///
    /// What ``RevokedTokens/revoke(subject:of:)`` says of a sign-in right after it holds here, too.
    ///
    /// - Returns: As ``revoke(tokenID:of:)``.
    /// - Throws: As ``revoke(tokenID:of:)``.
    @discardableResult
    public func revoke(subject: String, of issuer: Issuer) async throws(StorageFailure) -> Bool {
        try await share(tokens.record(.subject, subject, issuer))
    }

    /// Has every instance take the tokens no more that a logout token means: those of its session, or all of its subject.
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

    /// Reads what is new, at first everything.
    ///
    /// - Returns: Whether there was room for all of it; what gave way is refused with every token that is as old.
    /// - Throws: Why the store could not be read; what was read until then is known, and the next reading begins where this one did.
    @discardableResult
    public func read() async throws(StorageFailure) -> Bool {
        let began = now()
        var start = unread.withLock(\.self)
        var last: StoreDigest?
        var hasRoom = true
        while true {
            let page = try await store.revocations(since: start, after: last, limit: Self.pageSize, now: began)
            // A list that is full goes on to the newest entries: those are of tokens that have not expired.
            for record in page where !tokens.add(record) { hasRoom = false }
            guard page.count >= Self.pageSize, let end = page.last else { break }
            (start, last) = (end.revokedAt, end.name)
        }
        unread.withLock { $0 = max($0, began.addingTimeInterval(-Self.overlap)) }
        return hasRoom
    }

    /// Reads what is new, and again after each interval, until the task is cancelled.
    public func run() async {
        var trouble: Report?
        while !Task.isCancelled {
            let found = await attempt()
            if found != trouble { report(found ?? .recovered) }
            trouble = found
            do { try await sleep(interval) } catch { return }
        }
    }

    private func attempt() async -> Report? {
        do throws(StorageFailure) { return try await read() ? nil : .full } catch { return .failed(error) }
    }
}
