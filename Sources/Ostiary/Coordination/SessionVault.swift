import OstiaryOAuth

/// The one stored value of a session, replaced only after its current content has been compared.
///
/// A store has no conditional write. So each read and the write after it happen under a lock of their own, which is
/// held for no longer than that: a sign-out never waits for another process's request.
struct SessionVault: Sendable {
    let store: any SecretStore
    let key: StoreKey
    let lock: any ProcessLock

    /// Returns the stored session.
    ///
    /// - Throws: `storage` when it cannot be read; it is left in place.
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
    ///
    /// `room` is room for tokens that are on their way: taken with the mark of a refresh, used by its tokens.
    func swap(
        _ expected: StoredSession,
        for new: StoredSession?,
        in room: ReservedRoom
    ) async -> RefreshMachine.Swap {
        room.reserved?.freeDescriptors()
        do throws(SignInError) {
            return try await locked { () async throws(SignInError) -> RefreshMachine.Swap in
                let found = try await read()
                guard let found, found.isSame(as: expected) else { return .found(found) }
                if let new { try await write(new, in: room) } else { try await remove() }
                return .done
            }
        } catch {
            room.reserved?.takeDescriptors()
            if case .storage(let failure) = error.reason { return .failed(failure) }
            return .failed(.unavailable)
        }
    }

    private func write(_ new: StoredSession, in room: ReservedRoom) async throws(SignInError) {
        guard let store = store as? any ReservingSecretStore else { return try await write(new) }
        let bytes = try new.bytes()
        do throws(StorageFailure) {
            if new.journal.mark != nil {
                // A mark: without room for what it announces nothing is sent.
                let taken = room.reserved == nil ? try await store.reserve(Self.room(after: bytes), for: key) : nil
                try await store.write(bytes, for: key)
                if let taken { room.set(taken) }
            } else if let reserved = room.reserved {
                try await store.write(bytes, for: key, in: reserved)
                let isFollowed = new.journal.candidate != nil
                room.set(isFollowed ? try? await store.reserve(Self.room(after: bytes), for: key) : nil)
            } else {
                try await store.write(bytes, for: key)
            }
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Enough for the tokens that follow a value, as a rule.
    private static func room(after bytes: [UInt8]) -> Int { bytes.count * 2 + 16_384 }

    /// Stores a new session in place of the stored one.
    ///
    /// - Returns: The session that it replaced, when that could be read.
    func put(_ new: StoredSession) async throws(SignInError) -> StoredSession? {
        try await locked { () async throws(SignInError) -> StoredSession? in
            let former = try? await read()
            try await write(new)
            return former
        }
    }

    /// Stores a new session where there is none.
    ///
    /// - Returns: The stored session: the new one, or the one that was there.
    func putIfAbsent(_ new: StoredSession) async throws(SignInError) -> StoredSession {
        try await locked { () async throws(SignInError) -> StoredSession in
            if let found = try await read() { return found }
            try await write(new)
            return new
        }
    }

    /// Removes a session, even if it has changed meanwhile; the session of another sign-in stays.
    ///
    /// A value that can never be read again is removed as well.
    ///
    /// - Throws: `storage` when the value cannot be read for now: it may be the session of another sign-in.
    func remove(_ id: String) async throws(SignInError) {
        try await locked { () async throws(SignInError) in
            do throws(SignInError) {
                if let found = try await read(), found.id != id { return }
            } catch {
                guard error.isOfUnreadableValue else { throw error }
            }
            try await remove()
        }
    }

    private func locked<Output: Sendable>(
        _ body: () async throws(SignInError) -> Output
    ) async throws(SignInError) -> Output {
        let hold: ProcessLockHold
        do throws(StorageFailure) {
            hold = try await lock.acquire(key.writeLockName, waiting: Self.patience)
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
    private static let patience = Duration.seconds(10)
}

extension SignInError {
    /// Whether no later attempt will read the value either.
    var isOfUnreadableValue: Bool {
        [.storage(.corrupted), .storage(.invalidated), .keyLost].contains(reason)
    }
}
