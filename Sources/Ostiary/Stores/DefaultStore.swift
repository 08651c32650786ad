#if os(Linux)
    import Foundation
    package import OstiaryOAuth

    /// The store of a Linux program that names none: the desktop's keyring, or sealed files where no keyring is
    /// reachable.
    ///
    /// The first write makes the choice and stores it. A later run in another environment, for example over ssh,
    /// throws `unavailable` when it cannot reach the keyring, instead of finding no session. The store creates nothing
    /// before the first write.
    package final class DefaultStore: ImmediateSecretStore, EnumerableSecretStore {
        /// The place where the values are stored.
        enum Choice: String, Sendable {
            case keyring
            case files
        }

        private let files: FileStore
        private let keyring: any EnumerableSecretStore
        private let isReachable: @Sendable () async -> Bool
        /// Holds the name of the choice.
        private let choiceFile: String
        package let processLock: (any ProcessLock)?

        /// - Parameters:
        ///   - folder: The folder for files, for the choice and for locks.
        ///   - keyFile: The key of the files.
        ///   - keyring: The keyring.
        ///   - isReachable: Whether the keyring can be used now.
        package init(
            folder: String,
            keyFile: String,
            keyring: any EnumerableSecretStore,
            isReachable: @escaping @Sendable () async -> Bool
        ) {
            files = FileStore(directory: folder + "/values", key: .file(at: keyFile))
            self.keyring = keyring
            self.isReachable = isReachable
            choiceFile = folder + "/store"
            processLock = ChosenPlaceLock(
                files: FileLock(directory: URL(fileURLWithPath: folder + "/locks")),
                keyring: keyring.processLock,
                choice: { [choiceFile] () throws(StorageFailure) in try Self.choice(in: choiceFile) }
            )
        }

        /// The store of this account: in `$XDG_STATE_HOME/ostiary-apps`, with the key in `$XDG_CONFIG_HOME` (XDG Base
        /// Directory Specification).
        static let ofThisAccount: DefaultStore = {
            func base(_ variable: String, _ fallback: String) -> String {
                let variables = ProcessInfo.processInfo.environment
                if let path = variables[variable], path.hasPrefix("/") { return path }
                return (variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? AccountHome.path) + "/" + fallback
            }
            let keyring = SecretServiceStore(application: "ostiary-apps")
            return DefaultStore(
                folder: base("XDG_STATE_HOME", ".local/state") + "/ostiary-apps",
                keyFile: base("XDG_CONFIG_HOME", ".config") + "/ostiary-apps/store.key",
                keyring: keyring,
                isReachable: {
                    (try? await SecretServiceStore(application: "ostiary-apps", deadline: .seconds(5)).check()) != nil
                }
            )
        }()

        package func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
            switch try choice() {
            case .keyring: try await keyring.read(key)
            case .files: try await files.read(key)
            case nil: nil
            }
        }

        /// Returns the value of a key without waiting.
        ///
        /// - Throws: `locked` for a keyring, since the keyring may have to ask the user first.
        package func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? {
            switch try choice() {
            case .keyring: throw .locked
            case .files: try files.readNow(key)
            case nil: nil
            }
        }

        package func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
            switch try await choiceOrNew() {
            case .keyring: try await keyring.write(value, for: key)
            case .files: try await files.write(value, for: key)
            }
        }

        package func remove(_ key: StoreKey) async throws(StorageFailure) {
            switch try choice() {
            case .keyring: try await keyring.remove(key)
            case .files: try await files.remove(key)
            case nil: break
            }
        }

        package func keys() async throws(StorageFailure) -> [StoreKey] {
            switch try choice() {
            case .keyring: try await keyring.keys()
            case .files: try await files.keys()
            case nil: []
            }
        }

        /// The stored choice; `nil` before the first write.
        private func choice() throws(StorageFailure) -> Choice? { try Self.choice(in: choiceFile) }

        private static func choice(in path: String) throws(StorageFailure) -> Choice? {
            guard let file = try PrivateFile.open(path) else { return nil }
            guard file.isRegular, file.isOwnedByThisUser,
                let choice = Choice(rawValue: String(decoding: try file.bytes(atMost: 16), as: UTF8.self))
            else { throw .corrupted }
            return choice
        }

        private func choiceOrNew() async throws(StorageFailure) -> Choice {
            if let choice = try choice() { return choice }
            let new: Choice = await isReachable() ? .keyring : .files
            try await BlockingWork.run { [choiceFile] () throws(StorageFailure) in
                try PrivateFile.make(choiceFile, holding: Array(new.rawValue.utf8))
            }
            // Another process may have been first: its choice counts.
            guard let choice = try choice() else { throw .unavailable }
            return choice
        }
    }

    extension DefaultStore: ReservingSecretStore {
        package func reserve(_ count: Int, for key: StoreKey) async throws(StorageFailure) -> ReservedFile {
            // The files' folder serves in any case: the keyring needs the reserved descriptors as well.
            try await files.reserve(count, for: key)
        }

        package func write(_ value: [UInt8], for key: StoreKey, in room: ReservedFile) async throws(StorageFailure) {
            guard try await choiceOrNew() == .files else {
                room.freeDescriptors()
                return try await write(value, for: key)
            }
            try await files.write(value, for: key, in: room)
        }
    }

    /// Folders in the home folder of the account that runs this process.
    enum AccountHome {
        /// The home folder by the system's user database, whatever the environment says.
        ///
        /// A user's cron job, service and terminal thus get the same folder. For an account that the database does not
        /// list, it is the folder that the environment names.
        static let path: String = {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: 16_384)
            let isFound = getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found) == 0 && found != nil
            guard isFound, let folder = entry.pw_dir.map({ String(cString: $0) }), folder.hasPrefix("/") else {
                return NSHomeDirectory()
            }
            return folder
        }()

        /// The folder of the locks.
        static let locks = URL(fileURLWithPath: path).appendingPathComponent(".local/state/ostiary/locks")
    }
#endif
