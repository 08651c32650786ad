public import OstiaryOAuth

/// A store that can say which keys have values: for a list of sessions, and to export them.
public protocol EnumerableSecretStore: SecretStore {
    /// The keys that have values, each once.
    ///
    /// - Throws: `locked`, `unavailable`, or `corrupted`: a part of the list is not given as the whole.
    func keys() async throws(StorageFailure) -> [StoreKey]
}

/// A store that reports changes.
public protocol ObservableSecretStore: SecretStore {
    /// Returns a sequence that reports each change of a key's value from now on; it ends with its last consumer.
    ///
    /// Consecutive changes may be reported as one: read the value to know it.
    func changes(of key: StoreKey) -> AsyncStream<StoreKey.Change>
}

extension StoreKey {
    /// The change of a value.
    public enum Change: Sendable, Hashable {
        /// It was written.
        case written
        /// It was removed.
        case removed
    }
}
