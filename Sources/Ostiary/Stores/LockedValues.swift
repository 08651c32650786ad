/// The values of a store, each changed under the lock of whoever writes there.
struct LockedValues: Sendable {
    let store: any SecretStore
    let lock: (any ProcessLock)?

    /// Replaces a value by one that is made of it; the same one is not written again, and `nil` removes it.
    ///
    /// - Returns: What was there, and what is there now.
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

    /// Longer than any look and write takes.
    private static let patience: Double = 10
}
