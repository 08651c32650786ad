#if os(Linux)
    public import Foundation
    public import OstiaryOAuth

    /// Keeps values in the desktop's keyring on Linux: GNOME Keyring, KWallet, KeePassXC, or whoever else offers the Secret
    /// Service on the session's bus.
    ///
    /// It speaks through libsecret, which is loaded when it is first used: an app builds without it, and runs without it
    /// where this store is not used. ``check()`` says what is missing. Each value is one item with the attributes
    /// `application` and `key`; a keyring shows both to whoever may unlock it.
    ///
    /// A keyring that is locked is asked to unlock, which may show a person its password page; when nobody does within the
    /// deadline, the value is `locked`, never absent.
    public struct SecretServiceStore: EnumerableSecretStore, ObservableSecretStore {
        /// Whether a person may be asked to unlock the keyring.
        public enum Unlocking: Sendable, Hashable {
            /// The keyring's own page may be shown.
            case byAsking
            /// A locked keyring is `locked` at once.
            case never
        }

        private let application: String
        private let unlocking: Unlocking
        private let deadline: Double
        private let lockFolder: URL
        private let service: SecretServiceLibrary
        private let observers = StoreObservers()
        private let versions = StoreVersions()

        /// Makes a store; nothing is loaded yet.
        ///
        /// - Parameters:
        ///   - application: Tells this app's values from those of others, such as `com.example.app`; a person may see it.
        ///   - unlocking: Whether a person may be asked. Default: yes.
        ///   - deadline: How long a call may take, in seconds, with the time that a person needs. Default 60.
        ///   - lockFolder: The folder for locks, which all processes that share the keyring's values have to name.
        ///     Default: `.local/state/ostiary/locks` in the home folder of the account, whatever the environment says.
        public init(
            application: String,
            unlocking: Unlocking = .byAsking,
            deadline: Double = 60,
            lockFolder: URL? = nil
        ) {
            self.init(
                application: application,
                unlocking: unlocking,
                deadline: deadline,
                lockFolder: lockFolder,
                library: "libsecret-1.so.0"
            )
        }

        package init(
            application: String,
            unlocking: Unlocking = .byAsking,
            deadline: Double = 60,
            lockFolder: URL? = nil,
            library: String
        ) {
            self.application = FormURLEncoding.escape(application)
            self.lockFolder = lockFolder ?? AccountHome.locks
            self.unlocking = unlocking
            self.deadline = max(deadline, 0.1)
            service = SecretServiceLibrary(named: library)
        }

        /// A lock of files: the keyring has none to offer.
        ///
        /// The place of the files does not depend on the environment: a job of cron and a terminal may have different variables and
        /// the same keyring.
        public var processLock: (any ProcessLock)? { FileLock(directory: lockFolder) }

        /// The application: two stores of one application hold the same values.
        public var identity: (any Hashable & Sendable)? { Place(application: application) }

        private struct Place: Hashable, Sendable {
            let application: String
        }

        /// Looks whether the keyring can be used at all, and changes nothing.
        ///
        /// - Throws: What is missing, as a sentence that names the fix.
        public func check() async throws(SecretServiceProblem) {
            try await service.call(within: deadline) { call in (call.probe(), ()) }
        }

        /// The value of a key; `nil` when the unlocked keyring has none.
        ///
        /// - Throws: `locked` when the keyring is and stays so; `unavailable` when it cannot be reached, which ``check()``
        ///   explains.
        public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
            let item = SecretServiceItem(application, key, unlocking)
            return try await perform { $0.read(item) }
        }

        /// Sets the value of a key, in place of the one before.
        ///
        /// - Throws: `locked` or `unavailable`. The value before it is still there; when a person unlocks the keyring after
        ///   the deadline, the new one may be.
        public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            let item = SecretServiceItem(application, key, unlocking)
            try await perform { $0.write(value, item) }
            versions.write(key)
            observers.look(at: key)
        }

        /// Removes the value of a key, if there is one.
        ///
        /// - Throws: `locked` or `unavailable`; the value is still there.
        public func remove(_ key: StoreKey) async throws(StorageFailure) {
            let item = SecretServiceItem(application, key, unlocking)
            try await perform { $0.remove(item) }
            versions.remove(key)
            observers.look(at: key)
        }

        /// The keys that have values.
        ///
        /// - Throws: `locked` or `unavailable`.
        public func keys() async throws(StorageFailure) -> [StoreKey] {
            let item = SecretServiceItem(application, StoreKey(""), unlocking)
            return try await perform { $0.list(item) }
        }

        /// Tells when the value of a key may have changed through this store; what other processes do is not told.
        public func changes(of key: StoreKey) -> AsyncStream<StoreChange> {
            observers.changes(of: key) { [versions] in versions.version(of: key) }
        }

        private func perform<Output: Sendable>(
            _ body: @escaping @Sendable (SecretServiceCall) -> (SecretServiceCall.Status, Output)
        ) async throws(StorageFailure) -> Output {
            do throws(SecretServiceProblem) {
                return try await service.call(within: deadline, body)
            } catch {
                // A keyring that was started anew does not know what the one before it had agreed on with this process.
                guard [.noBus, .noService, .failed].contains(error) else { throw error.failure }
            }
            do throws(SecretServiceProblem) {
                try await service.call(within: deadline) { call in (call.disconnect(), ()) }
                return try await service.call(within: deadline, body)
            } catch {
                throw error.failure
            }
        }
    }
#endif
