import OstiaryCompatibility
public import OstiaryOAuth

/// Keeps values in memory while the process runs.
public final class MemoryStore: ImmediateSecretStore, EnumerableSecretStore, ObservableSecretStore {
    private struct Entry {
        var value: [UInt8]
        /// The number of the write that set the value.
        var version: Int
    }

    private struct State {
        var entries: [StoreKey: Entry] = [:]
        var writes = 0
    }

    /// One lock for every client of this store.
    public let processLock: (any ProcessLock)? = InProcessLock()
    private let state = Lock(State())
    private let observers = StoreObservers()

    /// Makes an empty store.
    public init() {}

    /// Returns the value; `nil` when the key has none.
    public func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? {
        state.withLock { $0.entries[key]?.value }
    }

    /// Sets the value.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        state.withLock { state in
            state.writes += 1
            state.entries[key] = Entry(value: value, version: state.writes)
        }
        observers.look(at: key)
    }

    /// Removes the value.
    public func remove(_ key: StoreKey) async throws(StorageFailure) {
        state.withLock { $0.entries[key] = nil }
        observers.look(at: key)
    }

    /// Lists the keys that have values.
    public func keys() async throws(StorageFailure) -> [StoreKey] {
        state.withLock { $0.entries.keys.sorted { $0.description < $1.description } }
    }

    /// Reports changes to the value of a key.
    public func changes(of key: StoreKey) -> AsyncStream<StoreKey.Change> {
        observers.changes(of: key) { [weak self] in self?.state.withLock { $0.entries[key]?.version } }
    }
}
