#if canImport(Security)
    import Dispatch
    import Foundation
    import OstiaryCompatibility
    public import OstiaryOAuth
    import Security

    /// Keeps values in the keychain: the store of an app on Apple's platforms.
    ///
    /// A value is one generic password. Its account is the key if that consists of visible ASCII characters, as a
    /// session's does; its data is the value's bytes. The item is updated in place, never leaves the device, and is the
    /// app's alone unless the ``Configuration`` says otherwise. A locked device throws `locked`, and never looks like
    /// an empty keychain.
    public final class KeychainStore: ImmediateSecretStore, EnumerableSecretStore, ObservableSecretStore {
        /// The place of the items, and the conditions for opening them.
        public let configuration: Configuration
        /// The queue of asynchronous calls, which block, may show a prompt for minutes, and so use no thread that tasks
        /// share.
        private let queue = DispatchQueue(label: "ostiary.keychain")
        private let keychainInUse = Lock<Keychain?>(nil)
        let installation = Lock(InstallationState.unknown)
        let unlocked: UnlockedValues
        let observers = StoreObservers()
        let versions = StoreVersions()

        /// Makes a store; does not access the keychain yet.
        ///
        /// - Parameters:
        ///   - configuration: Default: the app's own items on this device only, from the first unlock on.
        ///   - clock: Measures the time for which a guarded value stays unlocked.
        public init(_ configuration: Configuration = Configuration(), clock: DeviceClock = .system) {
            self.configuration = configuration
            unlocked = UnlockedValues(lasting: configuration.userCheck?.relockTime ?? .zero, clock: clock)
        }

        /// The keychain that the store uses, determined once.
        public var keychain: Keychain {
            if let known = keychainInUse.withLock({ $0 }) { return known }
            let found = configuration.resolvedKeychain()
            return keychainInUse.withLock { known in
                known = known ?? found
                return known ?? found
            }
        }

        /// Returns the value of a key; `nil` when it has none, which is reported only of an open keychain.
        ///
        /// - Throws: `locked` when the device is locked; `notEntitled` when the app is not signed for the access group;
        ///   for a value that the user has to unlock, also `cancelled`, `notRecognized` and `invalidated`;
        ///   `unavailable` for other failures of the keychain. The stored value is left as it is.
        public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
            if let value = unlocked[key] { return value }
            return try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                return !store.isGuarded(key)
                    ? try store.plainValue(of: key) : try store.guardedValue(of: key)
            }
        }

        /// Returns the value of a key without asking the user.
        ///
        /// - Throws: As ``read(_:)``; `locked` for a value that the user has to unlock first.
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

        /// Sets the value of a key, in full or not at all.
        ///
        /// - Throws: As ``read(_:)``; `unavailable` when the device has no passcode, or no face or finger that the
        ///   ``UserCheck`` needs. The former value is still in place.
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

        /// Removes the value of a key, if it has one, and its remains in former places.
        ///
        /// - Throws: As ``read(_:)``; the value, or a part of the remains, is still in place.
        public func remove(_ key: StoreKey) async throws(StorageFailure) {
            try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                try writing { () throws(KeychainError) in
                    // The value itself comes last: an interrupted removal must not bring back an older one.
                    try store.removeOrigins(of: key)
                    try store.removeGuardedValue(of: key)
                    try store.removePlainValue(of: key)
                }
            }
            unlocked.remove(key)
            versions.remove(key)
            observers.look(at: key)
        }

        /// Whether the user has to unlock the value of a key; never for learned facts, which a sign-in reads as well.
        private func isGuarded(_ key: StoreKey) -> Bool {
            configuration.userCheck != nil && !key.isOfLearnedFacts
        }

        /// Discards the unlocked values; the next read asks the user again.
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

    extension KeychainStore {
        /// The lock that keeps processes that share these items from refreshing one session at the same time.
        ///
        /// - For an app group: lock files in the group's container, which the app and its extensions share.
        /// - Otherwise on a Mac: lock files in `Library/Application Support/Ostiary/Locks` of the user, or of the
        ///   sandboxed app, so that two tools take turns.
        /// - Otherwise: one lock in this process, for all stores of the same service and group.
        ///
        /// Apps that share a keychain group that is not an app group have no folder in common: let one of them refresh,
        /// or give the clients a lock that both can reach.
        public var processLock: (any ProcessLock)? { groupLock ?? deviceLock }

        /// The place of the items: two stores of the same service, access group and keychain hold the same values.
        public var identity: (any Hashable & Sendable)? { place }

        /// `nil` without an app group, and where the signature does not grant it.
        private var groupLock: FileLock? {
            guard case .appGroup(let group) = configuration.accessGroup, keychain == .dataProtection else { return nil }
            return try? FileLock(appGroup: group)
        }

        private var deviceLock: any ProcessLock {
            #if canImport(AppKit) && !canImport(UIKit)
                let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
                if let folder = folders.first {
                    return FileLock(directory: folder.appendingPathComponent("Ostiary/Locks", isDirectory: true))
                }
            #endif
            return Self.locks.withLock { locks in
                let lock = locks[place] ?? InProcessLock()
                locks[place] = lock
                return lock
            }
        }

        /// The locks by the place of their items: two stores of the same items share one lock.
        private static let locks = Lock<[KeychainPlace: InProcessLock]>([:])
    }
#endif
