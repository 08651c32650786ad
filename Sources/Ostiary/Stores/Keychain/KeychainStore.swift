#if canImport(Security)
    import Dispatch
    public import OstiaryOAuth
    import OstiaryCompatibility

    /// Keeps values in the keychain: the store of an app on Apple's platforms.
    ///
    /// A value is one generic password. Its account is the key, if that is of visible ASCII characters only, as a session's
    /// is; its data are the octets. It is changed in its place, never leaves the device, and is for the app alone unless the
    /// ``Configuration`` says otherwise. A locked device is `locked`, and never looks like an empty keychain.
    public final class KeychainStore: ImmediateSecretStore, EnumerableSecretStore, ObservableSecretStore {
        /// Where items are kept, and who can open them.
        public let configuration: Configuration
        /// Calls block, and may show a prompt for minutes: they never run on the caller's thread, nor on one that tasks share.
        private let queue = DispatchQueue(label: "ostiary.keychain")
        private let keychainInUse = Lock<Keychain?>(nil)
        let installation = Lock(InstallationState.unknown)
        let unlocked: UnlockedValues
        let observers = StoreObservers()
        let versions = StoreVersions()

        /// Makes a store; the keychain is not looked into yet.
        ///
        /// - Parameters:
        ///   - configuration: Default: the app's own items on this device only, from the first unlock on.
        ///   - clock: Measures how long a guarded value stays unlocked.
        public init(_ configuration: Configuration = Configuration(), clock: DeviceClock = .system) {
            self.configuration = configuration
            unlocked = UnlockedValues(lasting: configuration.personCheck?.relockTime ?? 0, clock: clock)
        }

        /// Which keychain the store is in; it is found out once.
        public var keychain: Keychain {
            if let known = keychainInUse.withLock({ $0 }) { return known }
            let found = configuration.resolvedKeychain()
            return keychainInUse.withLock { known in
                known = known ?? found
                return known ?? found
            }
        }

        /// The value of a key; `nil` when there is none, which is said only when the keychain is open.
        ///
        /// - Throws: `locked` when the device is; `notEntitled` when the app is not signed for the group; where a person is
        ///   asked, also `cancelled`, `notRecognized` and `invalidated`. What is stored stays as it is.
        public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
            if let value = unlocked[key] { return value }
            return try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                return !store.isGuarded(key)
                    ? try store.plainValue(of: key) : try store.guardedValue(of: key)
            }
        }

        /// The value of a key, at once; nobody is asked.
        ///
        /// - Throws: As ``read(_:)``; `locked` for a value that a person has to unlock first.
        public func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? {
            if let value = unlocked[key] { return value }
            do throws(KeychainError) {
                try prepare()
                guard isGuarded(key) else { return try plainValue(of: key) }
                guard try hasGuardedValue(of: key) else { return nil }
                throw .locked
            } catch {
                throw error.failure
            }
        }

        /// Sets the value of a key, all of it or nothing of it.
        ///
        /// - Throws: As ``read(_:)``; `unavailable` where the device has no passcode, or no face or finger that a person check
        ///   needs. The value before it is still there.
        public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                if !store.isGuarded(key) {
                    try store.setPlainValue(value, of: key)
                    // An older value would come back if the store were to guard values again.
                    try? store.removeGuardedValue(of: key)
                } else {
                    try store.setGuardedValue(value, of: key)
                }
                store.forgetOrigins(of: key)
            }
            unlocked.replace(key, with: value)
            versions.write(key)
            observers.look(at: key)
        }

        /// Removes the value of a key, if there is one, and what is left of it where it was before.
        ///
        /// - Throws: As ``read(_:)``; the value is still there, or a part of what was left.
        public func remove(_ key: StoreKey) async throws(StorageFailure) {
            try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                try writing { () throws(KeychainError) in
                    // Last of all the value itself: an interrupted removal must not bring an older one back.
                    try store.removeOrigins(of: key)
                    try store.removeGuardedValue(of: key)
                    try store.removePlainValue(of: key)
                }
            }
            unlocked.remove(key)
            versions.remove(key)
            observers.look(at: key)
        }

        /// Whether the user has to unlock the value of a key: not for learned facts, which are read before a sign-in, too.
        private func isGuarded(_ key: StoreKey) -> Bool {
            configuration.personCheck != nil && !key.isOfLearnedFacts
        }

        /// Forgets what a person unlocked: the next reading asks again.
        public func relock() { unlocked.removeAll() }

        func onQueue<Value: Sendable>(
            _ work: @escaping @Sendable (KeychainStore) throws(KeychainError) -> Value
        ) async throws(StorageFailure) -> Value {
            let result = await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: Result { () throws(KeychainError) in try work(self) })
                }
            }
            do throws(KeychainError) { return try result.get() } catch { throw error.failure }
        }
    }
#endif
