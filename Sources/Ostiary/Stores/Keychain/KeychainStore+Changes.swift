#if canImport(Security)
    public import OstiaryOAuth
    import OstiaryCompatibility

    extension KeychainStore {
        /// Reports changes to the value of a key, made here or, within about a second, by the app's extensions.
        public func changes(of key: StoreKey) -> AsyncStream<StoreKey.Change> { changes(of: key, lookingEvery: 1) }

        /// Reports changes to the value of a key, made here or by another process.
        ///
        /// The item's attributes are inspected, not its value, so the user is not asked even for a guarded value. A
        /// locked keychain counts as unchanged; changes made meanwhile are reported once it is open. Moving a value
        /// into this store is a change as well.
        ///
        /// - Parameters:
        ///   - interval: Seconds between two inspections for changes by other processes; at least 0.05. A write through
        ///     this store is reported at once.
        ///   - clock: The clock that times the inspections.
        public func changes(
            of key: StoreKey,
            lookingEvery interval: Double,
            clock: DeviceClock = .system
        ) -> AsyncStream<StoreKey.Change> {
            let seen = LastSeen()
            return observers.changes(of: key, lookingEvery: max(interval, 0.05), clock: clock) { [sight, versions] in
                seen.look { () throws(KeychainError) in
                    try sight.identity(of: key).map { SeenValue(identity: $0, version: versions.version(of: key)) }
                }
            }
        }
    }

    /// A value's identity, and the write of this process that set it: a keychain's timestamps may be coarse.
    private struct SeenValue: Sendable, Hashable {
        let identity: KeychainSight.Identity
        let version: Int?
    }

    /// The last known state, which counts while the keychain cannot be read.
    private final class LastSeen: Sendable {
        private let value = Lock<SeenValue?>(nil)

        func look(_ body: () throws(KeychainError) -> SeenValue?) -> SeenValue? {
            value.withLock { value in
                if case .success(let found) = Result(catching: { () throws(KeychainError) in try body() }) {
                    value = found
                }
                return value
            }
        }
    }
#endif
