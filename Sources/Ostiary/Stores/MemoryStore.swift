public import OstiaryOAuth
import Synchronization

/// Keeps values as long as the process runs.
public final class MemoryStore: ImmediateSecretStore {
    /// One for everybody who has this store.
    public let processLock: (any ProcessLock)? = InProcessLock()
    private let values = Mutex<[StoreKey: [UInt8]]>([:])

    /// Makes an empty store.
    public init() {}

    /// The value, as long as the process runs.
    public func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? { values.withLock { $0[key] } }

    /// Sets the value.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        values.withLock { $0[key] = value }
    }

    /// Removes the value.
    public func remove(_ key: StoreKey) async throws(StorageFailure) {
        values.withLock { $0[key] = nil }
    }
}
