#if canImport(Security)
    public import OstiaryOAuth
    import OstiaryCompatibility

    extension KeychainStore {
        /// Tells when the value of a key has changed, whoever changed it: the app's extensions, too, within about a second.
        public func changes(of key: StoreKey) -> AsyncStream<StoreChange> { changes(of: key, lookingEvery: 1) }

        /// Tells when the value of a key has changed, whoever changed it.
        ///
        /// The attributes of the item are looked at, not its value: nobody is asked, also not for a value that a person
        /// guards. A keychain that is locked is no change; what happened meanwhile is told when it is open. To be moved here
        /// is a change, too.
        ///
        /// - Parameters:
        ///   - interval: Seconds between two looks for what other processes did; at least 0.05. What is written through this
        ///     store is told of at once.
        ///   - clock: What waits.
        public func changes(
            of key: StoreKey,
            lookingEvery interval: Double,
            clock: DeviceClock = .system
        ) -> AsyncStream<StoreChange> {
            let seen = LastSeen()
            return observers.changes(of: key, lookingEvery: max(interval, 0.05), clock: clock) { [sight, versions] in
                seen.look { () throws(KeychainError) in
                    try sight.identity(of: key).map { SeenValue(identity: $0, version: versions.version(of: key)) }
                }
            }
        }
    }

    /// A value as it stands there, and the write of this process that it came with: a keychain's clock may be coarse.
    private struct SeenValue: Sendable, Hashable {
        let identity: KeychainSight.Identity
        let version: Int?
    }

    /// What was seen last, which counts as long as nothing can be seen.
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
