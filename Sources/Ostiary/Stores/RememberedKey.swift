import Crypto
import OstiaryCompatibility
import OstiaryOAuth

/// A key that is hard to get, kept as long as the process runs once somebody has it; asked for by one caller at a time.
actor RememberedKey {
    private let value = Lock<SymmetricKey?>(nil)
    private var request: Task<Result<SymmetricKey, StorageFailure>, Never>?

    /// The key, if it is there already.
    ///
    /// - Throws: `locked` when it is not.
    nonisolated func now() throws(StorageFailure) -> SymmetricKey {
        guard let key = value.withLock({ $0 }) else { throw .locked }
        return key
    }

    /// The key, got by the first who asks.
    func get(
        _ find: @escaping @Sendable () async throws(StorageFailure) -> SymmetricKey
    ) async throws(StorageFailure) -> SymmetricKey {
        while let request {
            // What the other one wanted may be less than this one wants: a failure is not shared.
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
