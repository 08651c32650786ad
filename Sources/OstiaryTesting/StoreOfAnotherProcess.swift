public import Ostiary
public import OstiaryOAuth

/// A store as another process finds it: it shares the values and the locks, and no live session.
///
/// Clients of one process that have the same store share one live session for each stored one. A test of an app with
/// two processes, such as an app and its widget, hands one of them the store and the other one this.
public struct StoreOfAnotherProcess: SecretStore {
    private let store: any SecretStore

    /// Takes the store that the first process has.
    public init(_ store: any SecretStore) { self.store = store }

    /// The lock of the store.
    public var processLock: (any ProcessLock)? { store.processLock }

    /// Reads a value of the store.
    public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await store.read(key) }

    /// Writes a value to the store.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await store.write(value, for: key)
    }

    /// Removes a value of the store.
    public func remove(_ key: StoreKey) async throws(StorageFailure) { try await store.remove(key) }
}
