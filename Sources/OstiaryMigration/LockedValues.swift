import Ostiary
import OstiaryOAuth

/// The values of a store, each changed under the lock of its writers.
struct LockedValues: Sendable {
    let store: any SecretStore
    let lock: (any ProcessLock)?

    /// Replaces a value with one made from it; an equal value is not written again, and `nil` removes it.
    ///
    /// - Returns: The value before and the value after.
    func replace(
        _ key: StoreKey,
        by next: ([UInt8]?) -> [UInt8]?
    ) async throws(StorageFailure) -> (before: [UInt8]?, after: [UInt8]?) {
        let hold = try await lock?.take(key.writeLockName, waiting: Self.patience)
        defer { hold?.release() }
        let before = try await store.read(key)
        let after = next(before)
        guard after != before else { return (before, after) }
        if let after { try await store.write(after, for: key) } else { try await store.remove(key) }
        return (before, after)
    }

    /// Seconds, more than a read and a write take.
    private static let patience: Double = 10
}
