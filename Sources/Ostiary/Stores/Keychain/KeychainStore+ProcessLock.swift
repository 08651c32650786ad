#if canImport(Security)
    import Foundation
    import Security
    import OstiaryCompatibility

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
