import Crypto
import OstiaryCompatibility
import OstiaryOAuth

/// A key that is slow to obtain: one caller at a time obtains it, and the process then remembers it.
actor RememberedKey {
    private let value = Lock<SymmetricKey?>(nil)
    private var request: Task<Result<SymmetricKey, StorageFailure>, Never>?

    /// Returns the key, if it has been obtained.
    ///
    /// - Throws: `locked` when it has not.
    nonisolated func now() throws(StorageFailure) -> SymmetricKey {
        guard let key = value.withLock({ $0 }) else { throw .locked }
        return key
    }

    /// Returns the key; the first caller obtains it.
    func get(
        _ find: @escaping @Sendable () async throws(StorageFailure) -> SymmetricKey
    ) async throws(StorageFailure) -> SymmetricKey {
        while let request {
            // The other caller may have requested less than this one, so a failure is not shared.
            if case .success(let key) = await request.value { return key }
            if self.request == request { self.request = nil }
        }
        if let key = value.withLock({ $0 }) { return key }
        let task = Task { () -> Result<SymmetricKey, StorageFailure> in
            do throws(StorageFailure) { return .success(try await find()) } catch { return .failure(error) }
        }
        request = task
        let result = await task.value
        if request == task { request = nil }
        if case .success(let key) = result { value.withLock { $0 = key } }
        return try result.get()
    }
}
