public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps values in files, each sealed with AES-256-GCM under one key.
///
/// A file that was changed, cut short or put in another's place is refused. What sealing cannot show is that an older
/// file of the same name was put back. The folder is as safe as the key: see ``SealingKey`` for where it may come from.
public struct FileStore: ImmediateSecretStore, EnumerableSecretStore, ObservableSecretStore {
    let folder: SealedFolder
    let key: SealingKey
    private let observers = StoreObservers()

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: A folder of the store's own; made with its parents, for this user only, by the first write.
    ///   - key: What values are sealed with.
    public init(directory: URL, key: SealingKey) { self.init(directory: directory.path, key: key) }

    /// Makes a store in a folder that is named by its path.
    public init(directory: String, key: SealingKey) {
        self.init(directory: directory, key: key, patience: .seconds(10))
    }

    package init(
        directory: String,
        key: SealingKey,
        patience: Duration = .seconds(10),
        fault: @escaping FileStep.Fault = { (_) throws(StorageFailure) in }
    ) {
        folder = SealedFolder(path: directory, patience: patience, fault: fault)
        self.key = key
    }

    /// The value of a key; `nil` when there is none, and when the folder is not there yet.
    ///
    /// - Throws: `corrupted` for a file that does not open under this key and name, and it stays as it is; `unavailable`
    ///   when the folder or the key cannot be used; `locked` when the key has to be asked for first, which ``read(_:)``
    ///   does.
    public func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? {
        guard let file = try folder.read(SealedValue.fileName(of: key), atMost: SealedValue.maximumBytes) else {
            return nil
        }
        return try SealedValue.open(file, of: key, with: try self.key.existingNow())
    }

    /// The value of a key, as ``readNow(_:)``; a key that lies in a keyring or under a passphrase is asked for.
    ///
    /// - Throws: As ``readNow(_:)``; `locked` when the keyring is, or when the passphrase is another one.
    public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        guard let file = try folder.read(SealedValue.fileName(of: key), atMost: SealedValue.maximumBytes) else {
            return nil
        }
        return try SealedValue.open(file, of: key, with: try await self.key.existing())
    }

    /// Sets the value of a key, all of it or nothing of it; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - value: With the key's name at most 1 MiB less 64 bytes.
    ///   - key: The key of the value.
    /// - Throws: `locked` when another process keeps the folder for more than ten seconds, or when the key is; `unavailable`
    ///   when the folder, the key or the disk cannot be used. The value before it is still there.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await write(value, for: key, reserved: nil)
    }

    /// Sets the value of a key, in a file that was made for it before.
    func write(_ value: [UInt8], for key: StoreKey, reserved room: ReservedFile?) async throws(StorageFailure) {
        let seal = try await self.key.existingOrNew(sealing: folder)
        let sealed = try SealedValue.seal(value, of: key, with: seal)
        try folder.make()
        let turn = try await folder.takeTurn()
        defer { turn.end() }
        try await BlockingWork.run { [folder] () throws(StorageFailure) in
            try folder.replace(SealedValue.fileName(of: key), with: sealed, in: turn, reserved: room)
        }
        observers.look(at: key)
    }

    /// The folder, by the path without links: two stores of one folder hold the same values.
    public var identity: (any Hashable & Sendable)? { FolderPlace(path: PrivateFile.canonical(folder.path)) }

    /// A lock in the store's own folder.
    public var processLock: (any ProcessLock)? { FileLock(directory: URL(fileURLWithPath: folder.path)) }

    /// Removes the value of a key, if there is one.
    ///
    /// - Throws: `locked` or `unavailable`, as for a write; the value is still there.
    public func remove(_ key: StoreKey) async throws(StorageFailure) {
        let name = SealedValue.fileName(of: key)
        guard try folder.holds(name) else { return }
        let turn = try await folder.takeTurn()
        defer { turn.end() }
        try await BlockingWork.run { [folder] () throws(StorageFailure) in try folder.remove(name, in: turn) }
        observers.look(at: key)
    }

    /// The keys that have values.
    ///
    /// A value that was written before version 2 of the format, and not since, does not know its key and is left out.
    ///
    /// - Throws: As ``read(_:)``: one file that cannot be read is not taken for no file. ``contents()`` tells them apart.
    ///   `unavailable` when the folder holds more than 10,000 files.
    public func keys() async throws(StorageFailure) -> [StoreKey] {
        let names = try folder.names(endingIn: SealedValue.fileSuffix)
        guard !names.isEmpty else { return [] }
        let seal = try await key.existing()
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            var keys: [StoreKey] = []
            for name in names {
                // One that was removed meanwhile.
                guard let file = try folder.read(name, atMost: SealedValue.maximumBytes) else { continue }
                guard let opened = try SealedValue.open(file, named: name, with: seal) else { continue }
                if let key = opened.name { keys.append(StoreKey(key)) }
            }
            return keys
        }
    }

    /// Tells when the value of a key has changed, whoever changed it: other processes, too, within about a second.
    public func changes(of key: StoreKey) -> AsyncStream<StoreChange> { changes(of: key, lookingEvery: 1) }

    /// Tells when the value of a key has changed, whoever changed it.
    ///
    /// The file is looked at, not read, as long as somebody listens.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - interval: Seconds between two looks for what other processes did; at least 0.05. What is written through
    ///     this value is told of at once.
    ///   - clock: What waits.
    public func changes(
        of key: StoreKey,
        lookingEvery interval: Double,
        clock: DeviceClock = .system
    ) -> AsyncStream<StoreChange> {
        let path = "\(folder.path)/\(SealedValue.fileName(of: key))"
        return observers.changes(of: key, lookingEvery: max(interval, 0.05), clock: clock) { FileIdentity(path) }
    }
}

/// A folder of values.
private struct FolderPlace: Hashable, Sendable {
    let path: String
}
