public import Ostiary

/// Checks that a store keeps the promises of `SecretStore`.
///
/// The test of a store is one line; it fails with the promise that was broken.
///
///     try await SecretStoreCheck(MemoryStore()).run()
public struct SecretStoreCheck: Sendable {
    private let store: any SecretStore
    private let reopen: (@Sendable () async throws -> any SecretStore)?

    /// Makes a check of a store, in which it leaves nothing.
    ///
    /// - Parameters:
    ///   - store: An empty store.
    ///   - reopen: Makes the store again as the next launch of the app would; without it nothing is said of lasting.
    public init(_ store: any SecretStore, reopen: (@Sendable () async throws -> any SecretStore)? = nil) {
        self.store = store
        self.reopen = reopen
    }

    /// Checks every promise.
    ///
    /// - Throws: ``BrokenPromise``; the error of `reopen`.
    public func run() async throws {
        try await checkAbsence()
        try await checkRoundTrips()
        try await checkReplacement()
        try await checkRemoval()
        try await checkIsolation()
        try await checkConcurrency()
        try await checkList()
        try await checkChanges()
        try await checkLasting()
    }

    private func checkAbsence() async throws {
        let promise = "A key that was never written has no value, and can be removed."
        let key = StoreKey("absent")
        try expect(try await read(key, promise), nil, promise)
        try await remove(key, promise)
        try expect(try await read(key, promise), nil, promise)
    }

    private func checkRoundTrips() async throws {
        let every = Array(UInt8.min...UInt8.max)
        let values: [(String, [UInt8])] = [
            ("A value is read as it was written, byte for byte.", every),
            ("An empty value is a value.", []),
            ("A value of 256 KiB is kept.", (0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }),
        ]
        for (promise, value) in values {
            let key = StoreKey("value")
            try await write(value, key, promise)
            try expect(try await read(key, promise), value, promise)
            try await remove(key, promise)
        }
    }

    private func checkReplacement() async throws {
        let promise = "A later value replaces the earlier one, also when it is shorter."
        let key = StoreKey("replaced")
        for value in [[UInt8](repeating: 1, count: 1000), [2], [UInt8](repeating: 3, count: 2000)] {
            try await write(value, key, promise)
            try expect(try await read(key, promise), value, promise)
        }
        try await remove(key, promise)
    }

    private func checkRemoval() async throws {
        let promise = "A removed value is gone, and can be removed and written again."
        let key = StoreKey("removed")
        try await write([1], key, promise)
        try await remove(key, promise)
        try expect(try await read(key, promise), nil, promise)
        try await remove(key, promise)
        try await write([2], key, promise)
        try expect(try await read(key, promise), [2], promise)
        try await remove(key, promise)
    }

    private func checkIsolation() async throws {
        let promise = "One key's value is never another's, whatever characters the keys are made of."
        let long = String(repeating: "long", count: 1000)
        let keys =
            [
                "a", "A", "a ", " a", "a/b", "a%2Fb", "a\\b", "../a", ".", "..", "", "\u{0}", "a\u{0}b", "ä",
                "a\u{308}", "a\u{308}\u{1}",
                "🗝️", "a\nb", "con", "session:a:b", "'\"$(a)`", long, long + "x",
            ].map { StoreKey($0) }
        for (number, key) in keys.enumerated() { try await write([UInt8(number)], key, promise) }
        for (number, key) in keys.enumerated() { try expect(try await read(key, promise), [UInt8(number)], promise) }
        try await remove(keys[0], promise)
        for (number, key) in keys.enumerated().dropFirst() {
            try expect(try await read(key, promise), [UInt8(number)], promise)
        }
        for key in keys { try await remove(key, promise) }
        for key in keys { try expect(try await read(key, promise), nil, promise) }
    }

    private func checkConcurrency() async throws {
        let promise = "Writers at one time do not disturb each other, and a reader sees whole values only."
        let shared = StoreKey("shared")
        try await write(Self.whole(0), shared, promise)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let key = StoreKey("parallel \(number)")
                    try await write(Self.whole(number), key, promise)
                    try expect(try await read(key, promise), Self.whole(number), promise)
                    try await remove(key, promise)
                }
                guard number % 4 == 0 else { continue }
                group.addTask { try await write(Self.whole(number), shared, promise) }
                group.addTask {
                    let value = try await read(shared, promise) ?? []
                    guard let first = value.first, value == Self.whole(Int(first)) else {
                        throw BrokenPromise(promise, found: "a value of \(value.count) bytes that no writer wrote")
                    }
                }
            }
            try await group.waitForAll()
        }
        try await remove(shared, promise)
    }

    /// Of a store that can list its keys.
    private func checkList() async throws {
        guard let list = store as? any EnumerableSecretStore else { return }
        let promise = "Every key that has a value is listed, once, whatever characters it is made of, and no other."
        func keys() async throws -> [StoreKey] {
            do { return try await list.keys() } catch {
                throw BrokenPromise(promise, found: "listing failed: \(error.rawValue)")
            }
        }
        let before = try await keys()
        let written = ["listed", "listed/ä", "listed\u{0}", "", "listed%20+", "🗝️"].map { StoreKey($0) }
        for key in written { try await write([1], key, promise) }
        try await write([2], written[0], promise)
        let found = try await keys()
        guard found.count == before.count + written.count, Set(found) == Set(before + written) else {
            throw BrokenPromise(promise, found: "\(found.count) keys instead of \(before.count + written.count)")
        }
        for key in written { try await remove(key, promise) }
        let after = try await keys()
        guard Set(after) == Set(before) else {
            throw BrokenPromise(promise, found: "\(after.count) keys when the values were removed again")
        }
    }

    /// Checks a store that reports changes.
    private func checkChanges() async throws {
        guard let store = store as? any ObservableSecretStore else { return }
        let promise = "An observer is notified of each change of its key, and of no other key's."
        let key = StoreKey("observed")
        var changes = store.changes(of: key).makeAsyncIterator()
        try await write([1], StoreKey("another"), promise)
        try await write([2], key, promise)
        try expect(await changes.next(), .written, promise)
        try await remove(StoreKey("another"), promise)
        try await write([3], key, promise)
        try expect(await changes.next(), .written, promise)
        try await remove(key, promise)
        try expect(await changes.next(), .removed, promise)
    }

    private func expect(_ found: StoreKey.Change?, _ expected: StoreKey.Change, _ promise: String) throws {
        guard found != expected else { return }
        throw BrokenPromise(promise, found: found.map { "\($0)" } ?? "the end of the changes")
    }

    private func checkLasting() async throws {
        guard let reopen else { return }
        let promise = "A new store at the same place has the written value, and not the removed one."
        let kept = StoreKey("kept")
        let removed = StoreKey("not kept")
        try await write([7, 8, 9], kept, promise)
        try await write([1], removed, promise)
        try await remove(removed, promise)
        let again = SecretStoreCheck(try await reopen())
        try expect(try await again.read(kept, promise), [7, 8, 9], promise)
        try expect(try await again.read(removed, promise), nil, promise)
        try await again.remove(kept, promise)
    }

    /// Makes a value that reveals when it is incomplete.
    private static func whole(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: 500 + number * 37)
    }

    // MARK: Calls

    private func read(_ key: StoreKey, _ promise: String) async throws -> [UInt8]? {
        do { return try await store.read(key) } catch {
            throw BrokenPromise(promise, found: "reading failed: \(error.rawValue)")
        }
    }

    private func write(_ value: [UInt8], _ key: StoreKey, _ promise: String) async throws {
        do {
            try await store.write(value, for: key)
        } catch {
            throw BrokenPromise(promise, found: "writing failed: \(error.rawValue)")
        }
    }

    private func remove(_ key: StoreKey, _ promise: String) async throws {
        do { try await store.remove(key) } catch {
            throw BrokenPromise(promise, found: "removing failed: \(error.rawValue)")
        }
    }

    private func expect(_ found: [UInt8]?, _ expected: [UInt8]?, _ promise: String) throws {
        guard found != expected else { return }
        throw BrokenPromise(promise, found: found.map { "\($0.count) bytes that are not the value" } ?? "no value")
    }
}
