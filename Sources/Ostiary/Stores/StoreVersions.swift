import OstiaryCompatibility

/// The number of the write that set each value of a store, for the writes of this process.
final class StoreVersions: Sendable {
    private struct State {
        var writes = 0
        var versions: [StoreKey: Int?] = [:]
    }

    private let state = Lock(State())

    /// The number of the last write of a key; `nil` after a removal, 0 when this process has not changed it.
    func version(of key: StoreKey) -> Int? { state.withLock { $0.versions[key, default: 0] } }

    /// Records that a value was written.
    func write(_ key: StoreKey) {
        state.withLock { state in
            state.writes += 1
            state.versions[key] = .some(state.writes)
        }
    }

    /// Records that a value was removed.
    func remove(_ key: StoreKey) { state.withLock { $0.versions[key] = .some(nil) } }
}
