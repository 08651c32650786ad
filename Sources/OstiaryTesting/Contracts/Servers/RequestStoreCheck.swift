public import OstiaryServer

/// Checks that a store of replays and limits keeps the promises of `ReplayStore` and `RateLimitStore`.
///
/// The test of such a store is one line; it fails with the promise that was broken. ``ServerStoreCheck`` contains it.
///
///     try await RequestStoreCheck(MemoryServerStore()).run()
public struct RequestStoreCheck: StorePromises {
    /// A store of what each request writes.
    public typealias Store = ReplayStore & RateLimitStore

    private let store: any Store
    /// The instances that race: views of one store.
    private let instances: [any Store]
    private let reopen: (@Sendable () async throws -> any Store)?

    /// Makes a check of a store; the values that it writes stay there.
    ///
    /// - Parameters:
    ///   - store: An empty store.
    ///   - others: The same store as other instances of the service have it. Default: only the one.
    ///   - reopen: Makes the store again as a restart of the service would; without it nothing is said of lasting.
    public init(
        _ store: any Store,
        others: [any Store] = [],
        reopen: (@Sendable () async throws -> any Store)? = nil
    ) {
        self.store = store
        instances = [store] + others
        self.reopen = reopen
    }

    /// Checks every promise.
    ///
    /// - Throws: ``BrokenPromise``; the error of `reopen`.
    public func run() async throws {
        try await checkReplays()
        try await checkLimits()
        try await checkRaces()
        try await checkLasting()
    }

    private func checkReplays() async throws {
        let promise = "An identifier is new once, until it has expired."
        let (name, owner) = (digest("proof"), digest("owner"))
        let insert = { (now: Double, expiry: Double) in
            try await asked(promise) { try await store.insert(name, owner: owner, until: at(expiry), now: at(now)) }
        }
        let contains = { (now: Double) in try await asked(promise) { try await store.contains(name, now: at(now)) } }
        try expect(try await contains(0), false, promise)
        try expect(try await insert(0, 60), .inserted, promise)
        try expect(try await contains(59.999), true, promise)
        try expect(try await contains(60), false, promise)
        try expect(try await insert(1, 90), .replayed, promise)
        try expect(try await insert(59.999, 90), .replayed, promise)
        try expect(try await insert(60, 90), .inserted, promise)
        let other = try await asked(promise) {
            try await store.insert(digest("other proof"), owner: owner, until: at(90), now: at(60))
        }
        try expect(other, .inserted, promise)
    }

    private func checkLimits() async throws {
        let promise = "As many requests as the limit says pass at once, and then one whenever room has come back."
        let limit = RateLimit(3, per: .seconds(30))
        func take(_ name: String, _ now: Double) async throws -> RateLimitAnswer {
            try await asked(promise) { try await store.take(limit, for: digest(name), now: at(now)) }
        }
        for _ in 0..<3 { try expect(try await take("busy", 0), .allowed, promise) }
        try expect(try await take("busy", 0), .limited(retryAfter: .seconds(10)), promise)
        try expect(try await take("busy", 4), .limited(retryAfter: .seconds(6)), promise)
        try expect(try await take("quiet", 4), .allowed, promise)
        try expect(try await take("busy", 10), .allowed, promise)
        try expect(try await take("busy", 10), .limited(retryAfter: .seconds(10)), promise)
        for _ in 0..<3 { try expect(try await take("busy", 100), .allowed, promise) }
        try expect(try await take("busy", 100), .limited(retryAfter: .seconds(10)), promise)
    }

    private func checkRaces() async throws {
        let promise = "Of many instances that do the same thing at once, as many succeed as may."
        try await race(instances, promise, winners: 1) {
            try await $0.insert(digest("race"), owner: digest("racers"), until: at(60), now: start) == .inserted
        }
        try await race(instances, promise, winners: 5) {
            try await $0.take(RateLimit(5, per: .seconds(60)), for: digest("race"), now: start) == .allowed
        }
    }

    private func checkLasting() async throws {
        guard let reopen else { return }
        let promise = "Kept entries are there when the store is made again."
        func insert(into store: any Store) async throws -> ReplayAnswer {
            try await asked(promise) {
                try await store.insert(digest("kept"), owner: digest("owner"), until: at(60), now: start)
            }
        }
        try expect(try await insert(into: store), .inserted, promise)
        try expect(try await insert(into: reopen()), .replayed, promise)
    }
}
