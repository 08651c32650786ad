import OstiaryOAuth

/// The one stored value of a session, written only by whoever knows what it replaces.
///
/// A store has no conditional write. So each look and the write after it are made under a lock of their own, which is held
/// for no longer than that: a sign-out never waits for another process's request.
struct SessionVault: Sendable {
    let store: any SecretStore
    let key: StoreKey
    let lock: any ProcessLock

    /// What is stored.
    ///
    /// - Throws: `storage` when it cannot be read; it is left as it is.
    func read() async throws(SignInError) -> StoredSession? {
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        return try bytes.map { (bytes) throws(SignInError) in try StoredSession(bytes) }
    }

    /// Replaces one value by the next, or removes it.
    func swap(_ expected: StoredSession, for new: StoredSession?) async -> RefreshMachine<TokenSet>.Swap {
        do throws(SignInError) {
            return try await locked { () async throws(SignInError) -> RefreshMachine<TokenSet>.Swap in
                let found = try await read()
                guard let found, found.isSame(as: expected) else { return .found(found) }
                if let new { try await write(new) } else { try await remove() }
                return .done
            }
        } catch {
            if case .storage(let failure) = error.reason { return .failed(failure) }
            return .failed(.unavailable)
        }
    }

    /// Stores a new session in place of whatever is there.
    func put(_ new: StoredSession) async throws(SignInError) {
        try await locked { () async throws(SignInError) in try await write(new) }
    }

    /// Stores a new session where there is none.
    ///
    /// - Returns: What is stored then: the new one, or the one that was there.
    func putIfAbsent(_ new: StoredSession) async throws(SignInError) -> StoredSession {
        try await locked { () async throws(SignInError) -> StoredSession in
            if let found = try await read() { return found }
            try await write(new)
            return new
        }
    }

    /// Removes a session, whatever became of it meanwhile; that of another sign-in stays.
    func remove(_ id: String) async throws(SignInError) {
        try await locked { () async throws(SignInError) in
            // What cannot be read is nobody's session: the person wants it gone.
            let found = try? await read()
            if let found, found.id != id { return }
            try await remove()
        }
    }

    private func locked<Output: Sendable>(
        _ body: () async throws(SignInError) -> Output
    ) async throws(SignInError) -> Output {
        let hold: ProcessLockHold
        do throws(StorageFailure) {
            hold = try await lock.take(key.writeLockName, waiting: Self.patience)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        defer { hold.release() }
        return try await body()
    }

    private func write(_ session: StoredSession) async throws(SignInError) {
        let bytes = try session.bytes()
        do throws(StorageFailure) {
            try await store.write(bytes, for: key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    private func remove() async throws(SignInError) {
        do throws(StorageFailure) {
            try await store.remove(key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Longer than any look and write takes.
    private static let patience: Double = 10
}
