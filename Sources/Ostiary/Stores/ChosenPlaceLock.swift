#if os(Linux)
    import OstiaryOAuth

    /// The lock of a ``DefaultStore``: the lock of the place that holds its values.
    ///
    /// Files are in a folder that the environment names, with their locks beside them. The keyring belongs to the
    /// account, whatever the environment says, and so does its lock: two programs with different `XDG_STATE_HOME` share
    /// the keyring's values and must share its lock.
    struct ChosenPlaceLock: ProcessLock {
        let files: any ProcessLock
        let keyring: (any ProcessLock)?
        let choice: @Sendable () throws(StorageFailure) -> DefaultStore.Choice?

        /// Acquires the lock of the chosen place; before the choice, the locks of both places, the keyring's first.
        func acquire(_ name: String, waiting patience: Duration) async throws(StorageFailure) -> ProcessLockHold {
            let choice = try choice()
            guard let keyring, choice != .files else { return try await files.acquire(name, waiting: patience) }
            guard choice == nil else { return try await keyring.acquire(name, waiting: patience) }
            let began = ContinuousClock.now
            let first: ProcessLockHold
            do throws(StorageFailure) {
                first = try await keyring.acquire(name, waiting: patience)
            } catch {
                // An account without a home folder has no place for the keyring's lock, and no keyring.
                guard error == .unavailable else { throw error }
                return try await files.acquire(name, waiting: patience)
            }
            let waited = ContinuousClock.now - began
            do throws(StorageFailure) {
                let second = try await files.acquire(name, waiting: max(.zero, patience - waited))
                return ProcessLockHold {
                    second.release()
                    first.release()
                }
            } catch {
                first.release()
                throw error
            }
        }

        /// The process that holds the lock of the chosen place.
        func owner(of name: String) throws(StorageFailure) -> ProcessLockHold.Owner? {
            guard let keyring, try choice() != .files else { return try files.owner(of: name) }
            return try keyring.owner(of: name)
        }
    }
#endif
