import OstiaryCompatibility

/// Which write each value of a store came with, as far as this process made it.
final class StoreVersions: Sendable {
    private struct State {
        var writes = 0
        var versions: [StoreKey: Int?] = [:]
    }

    private let state = Lock(State())

    /// The number of the last write of a key; `nil` when it was removed, 0 when nobody did anything.
    func version(of key: StoreKey) -> Int? { state.withLock { $0.versions[key, default: 0] } }

    /// A value was written.
    func write(_ key: StoreKey) {
        state.withLock { state in
            state.writes += 1
            state.versions[key] = .some(state.writes)
        }
    }

    /// A value was removed.
    func remove(_ key: StoreKey) { state.withLock { $0.versions[key] = .some(nil) } }
}
