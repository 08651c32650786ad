public import OstiaryOAuth

/// A store that can say which keys have values: for a list of sessions, and to export them.
public protocol EnumerableSecretStore: SecretStore {
    /// The keys that have values, each once.
    ///
    /// - Throws: `locked`, `unavailable`, or `corrupted`: a part of the list is not given as the whole.
    func keys() async throws(StorageFailure) -> [StoreKey]
}

/// A store that tells of changes.
public protocol ObservableSecretStore: SecretStore {
    /// Tells when the value of a key has changed, from now on; it ends when nobody listens any more.
    ///
    /// Several changes that follow each other may be told as one: read the value to know it.
    func changes(of key: StoreKey) -> AsyncStream<StoreChange>
}

/// What happened to a value.
public enum StoreChange: Sendable, Hashable {
    /// It was written.
    case written
    /// It was removed.
    case removed
}
