import Ostiary
import OstiaryOAuth

/// A store as another process finds it: it shares the values and the locks, and no owner of a stored session.
struct StoreOfAnotherProcess: SecretStore {
    let store: any SecretStore

    var processLock: (any ProcessLock)? { store.processLock }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await store.read(key) }

    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await store.write(value, for: key)
    }

    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}
