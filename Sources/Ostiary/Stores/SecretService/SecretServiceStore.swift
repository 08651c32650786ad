#if os(Linux)
    public import Foundation
    public import OstiaryOAuth

    /// Keeps values in the desktop's keyring on Linux: GNOME Keyring, KWallet, KeePassXC, or another program that
    /// offers the Secret Service on the session bus.
    ///
    /// The store uses libsecret, which is loaded at the first call. An app builds without it, and runs without it
    /// unless it uses this store. ``check()`` reports what is missing. Each value is one item with the attributes
    /// `application` and `key`; the keyring shows both to a user who may unlock it.
    ///
    /// A locked keyring is asked to unlock, and may show the user its password page. The store throws `locked` when the
    /// user dismisses the page, and `unavailable` when the deadline passes. It never takes a locked value for an absent
    /// one.
    public struct SecretServiceStore: EnumerableSecretStore, ObservableSecretStore {
        /// Whether the user may be asked to unlock the keyring.
        public enum Unlocking: Sendable, Hashable {
            /// The keyring may show its own page.
            case byAsking
            /// A locked keyring throws `locked` at once.
            case never
        }

        private let application: String
        private let unlocking: Unlocking
        private let deadline: Duration
        private let lockFolder: URL
        private let service: SecretServiceLibrary
        private let observers = StoreObservers()
        private let versions = StoreVersions()

        /// Makes a store; loads nothing yet.
        ///
        /// - Parameters:
        ///   - application: Separates this app's values from those of others, such as `com.example.app`; the user may
        ///     see it.
        ///   - unlocking: Whether the user may be asked. Default: yes.
        ///   - deadline: The time limit for a call, including the time that the user needs. Default: a minute.
        ///   - lockFolder: The folder for locks, the same for all processes that share the keyring's values. Default:
        ///     `.local/state/ostiary/locks` in the home folder of the account, whatever the environment says.
        public init(
            application: String,
            unlocking: Unlocking = .byAsking,
            deadline: Duration = .seconds(60),
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
            deadline: Duration = .seconds(60),
            lockFolder: URL? = nil,
            library: String
        ) {
            self.application = FormURLEncoding.escape(application)
            self.lockFolder = lockFolder ?? AccountHome.locks
            self.unlocking = unlocking
            self.deadline = max(deadline, .milliseconds(100))
            service = SecretServiceLibrary(named: library)
        }

        /// A lock in files, since the keyring offers none.
        ///
        /// Its folder does not depend on the environment: a cron job and a terminal may have different variables and
        /// the same keyring.
        public var processLock: (any ProcessLock)? { FileLock(directory: lockFolder) }

        /// The application's name: two stores of one application hold the same values.
        public var identity: (any Hashable & Sendable)? { Place(application: application) }

        private struct Place: Hashable, Sendable {
            let application: String
        }

        /// Checks whether the keyring can be used at all, and changes nothing.
        ///
        /// - Throws: The problem, with the fix in its description if there is one.
        public func check() async throws(SecretServiceStore.Problem) {
            try await service.call(within: deadline) { call in (call.probe(), ()) }
        }

        /// Returns the value of a key; `nil` when the unlocked keyring has none.
        ///
        /// - Throws: `locked` when the keyring is locked and stays so; `unavailable` when it cannot be reached
        ///   (``check()`` reports the reason), or the deadline passes.
        public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
            let item = SecretServiceItem(application, key, unlocking)
            return try await perform { $0.read(item) }
        }

        /// Sets the value of a key, replacing the former one.
        ///
        /// - Throws: `locked` or `unavailable`. The former value is still in place, unless the user unlocks the keyring
        ///   after the deadline: then the new one may be.
        public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            let item = SecretServiceItem(application, key, unlocking)
            try await perform { $0.write(value, item) }
            versions.write(key)
            observers.look(at: key)
        }

        /// Removes the value of a key, if it has one.
        ///
        /// - Throws: `locked` or `unavailable`; the value is still in place.
        public func remove(_ key: StoreKey) async throws(StorageFailure) {
            let item = SecretServiceItem(application, key, unlocking)
            try await perform { $0.remove(item) }
            versions.remove(key)
            observers.look(at: key)
        }

        /// Lists the keys that have values.
        ///
        /// - Throws: `locked` or `unavailable`.
        public func keys() async throws(StorageFailure) -> [StoreKey] {
            let item = SecretServiceItem(application, StoreKey(""), unlocking)
            return try await perform { $0.list(item) }
        }

        /// Reports changes to the value of a key through this store; changes by other processes are not reported.
        public func changes(of key: StoreKey) -> AsyncStream<StoreKey.Change> {
            observers.changes(of: key) { [versions] in versions.version(of: key) }
        }

        private func perform<Output: Sendable>(
            _ body: @escaping @Sendable (SecretServiceCall) -> (SecretServiceCall.Status, Output)
        ) async throws(StorageFailure) -> Output {
            do throws(SecretServiceStore.Problem) {
                return try await service.call(within: deadline, body)
            } catch {
                // A restarted keyring has forgotten what this process had agreed on with the former one.
                guard [.noBus, .noService, .failed].contains(error) else { throw error.failure }
            }
            do throws(SecretServiceStore.Problem) {
                try await service.call(within: deadline) { call in (call.disconnect(), ()) }
                return try await service.call(within: deadline, body)
            } catch {
                throw error.failure
            }
        }
    }

    extension SecretServiceStore {
        /// The reason the desktop's keyring cannot be used.
        @nonexhaustive
        public enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
            /// The named library, or the named function of it, is not installed.
            case missing(String)
            /// The process has no session bus: no user is signed in on a desktop.
            case noBus
            /// No program on the session bus offers the Secret Service.
            case noService
            /// The keyring is locked and was not unlocked.
            case locked
            /// The keyring, or the user whom it asks, did not respond within the deadline.
            case timedOut
            /// The keyring refused without giving a reason.
            case failed

            /// The problem and, if there is one, the fix.
            public var description: String {
                switch self {
                case .missing(let name):
                    "\(name) is missing: install libsecret-1-0 (Debian, Ubuntu), libsecret (Fedora, Arch) or libsecret-1-0 (openSUSE)."
                case .noBus:
                    "There is no session bus (DBUS_SESSION_BUS_ADDRESS): sign in on a desktop, run inside dbus-run-session, or keep sessions in files."
                case .noService:
                    "No program offers the Secret Service on the session bus: start gnome-keyring-daemon, KWallet or KeePassXC, or keep sessions in files."
                case .locked: "The keyring is locked: unlock it and try again."
                case .timedOut: "The keyring did not respond in time."
                case .failed: "The keyring refused, and did not say why."
                }
            }

            /// The failure for the store's caller.
            var failure: StorageFailure { self == .locked ? .locked : .unavailable }
        }
    }
#endif
