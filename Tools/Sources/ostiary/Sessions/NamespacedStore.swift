import Ostiary

/// A part of a store, where every key has a name of its own.
struct NamespacedStore: SecretStore {
    let store: any SecretStore
    let prefix: String

    var processLock: (any ProcessLock)? { store.processLock }

    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await store.read(own(key)) }
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await store.write(value, for: own(key))
    }
    func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(own(key)) }

    private func own(_ key: StoreKey) -> StoreKey { StoreKey(prefix + key.description) }
}
