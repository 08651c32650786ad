#if canImport(Security)
    import Foundation
    public import OstiaryOAuth
    import Security

    extension FileLock {
        /// Uses the container that an app shares with its extensions.
        ///
        /// - Throws: `unavailable` when the app is not entitled to the group. On a Mac that is found out when a lock is
        ///   taken.
        public init(appGroup: String) throws(StorageFailure) {
            guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup)
            else {
                throw .unavailable
            }
            self.init(sharedContainer: container)
        }
    }
#endif
