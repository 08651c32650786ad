public import OstiaryServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that a store keeps the promises of `ServerStore`.
///
/// The test of a store is one line; it fails with the promise that was broken.
///
///     try await ServerStoreCheck(MemoryServerStore()).run()
public struct ServerStoreCheck: StorePromises {
    let store: any ServerStore
    /// The instances that race: views of one store.
    let instances: [any ServerStore]
    private let reopen: (@Sendable () async throws -> any ServerStore)?

    /// Makes a check of a store; the values that it writes stay there.
    ///
    /// - Parameters:
    ///   - store: An empty store.
    ///   - others: The same store as other instances of the service have it. Default: only the one.
    ///   - reopen: Makes the store again as a restart of the service would; without it nothing is said of lasting.
    public init(
        _ store: any ServerStore,
        others: [any ServerStore] = [],
        reopen: (@Sendable () async throws -> any ServerStore)? = nil
    ) {
        self.store = store
        instances = [store] + others
        self.reopen = reopen
    }

    /// Checks every promise.
    ///
    /// - Throws: ``BrokenPromise``; the error of `reopen`.
    public func run() async throws {
        try await RequestStoreCheck(store, others: Array(instances.dropFirst())).run()
        try await checkRedemptions()
        try await checkOneTimeValues()
        try await checkSessions()
        try await checkSessionUse()
        try await checkSessionVersions()
        try await checkLogouts()
        try await checkSessionLists()
        try await checkLeases()
        try await checkVerifications()
        try await checkRevocations()
        try await checkPendingRevocations()
        try await checkRevocationsOfEndedSessions()
        try await checkPendingRevocationRace()
        try await checkLimitsBelowOne()
        try await checkRaces()
        try await checkCleanup()
        try await checkLasting()
    }

    private func checkLasting() async throws {
        guard let reopen else { return }
        let promise = "A stored value is found by a new store at the same place."
        let lasting = session("lasting")
        _ = try await asked(promise) { try await store.insert(lasting) }
        _ = try await asked(promise) {
            try await store.insert(digest("lasting"), owner: digest("owner"), until: at(60), now: start)
        }
        try await asked(promise) { try await store.revoke(revocation("lasting", 0, 60)) }
        try await asked(promise) {
            try await store.savePendingRevocation(pending("lasting", client: "lasting", due: 0, until: 60))
        }
        let again = try await reopen()
        try expect(try await again.session(lasting.id, now: start), lasting, promise)
        try expect(
            try await again.insert(digest("lasting"), owner: digest("owner"), until: at(60), now: start),
            .replayed,
            promise
        )
        try expect(
            try await again.revocations(since: start, after: nil, limit: 10, now: start),
            [revocation("lasting", 0, 60)],
            promise
        )
        let claimed = try await again.claimPendingRevocations(
            of: digest("lasting"),
            limit: 10,
            until: at(60),
            now: start
        )
        try expect(claimed, [pending("lasting", client: "lasting", due: 60, until: 60)], promise)
    }

    // MARK: Pieces

    func session(_ name: String, subject: String = "subject", sessionID: String? = nil) -> ServerSessionRecord {
        ServerSessionRecord(
            id: digest(name),
            issuer: "https://issuer.example",
            subject: subject,
            sessionID: sessionID,
            keyThumbprint: "thumbprint",
            created: start,
            absoluteExpiry: at(1000),
            idleExpiry: at(100),
            sealed: Array(UInt8.min...UInt8.max)
        )
    }
}
