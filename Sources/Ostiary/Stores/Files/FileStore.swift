public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps values in files, each sealed with AES-256-GCM under one key.
///
/// A file that was changed, truncated or moved to another file's name is rejected. Sealing cannot detect that an older
/// file of the same name was put back. The folder is as safe as the key; ``SealingKey`` lists the key's possible
/// sources.
public struct FileStore: ImmediateSecretStore, EnumerableSecretStore, ObservableSecretStore {
    let folder: SealedFolder
    let key: SealingKey
    private let observers = StoreObservers()

    /// Makes a store; reads and writes nothing yet.
    ///
    /// - Parameters:
    ///   - directory: A folder of the store's own. The first write creates it with its parents, for this user only.
    ///   - key: The key that seals the values.
    public init(directory: URL, key: SealingKey) { self.init(directory: directory.path, key: key) }

    /// Makes a store in the folder at a path.
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

    /// Returns the value of a key without waiting; `nil` when it has none, or the folder does not exist yet.
    ///
    /// - Throws: `corrupted` for a file that does not open under this key and name; it is left in place. `unavailable`
    ///   when the folder or the sealing key cannot be used. `locked` when a keyring or a passphrase has to open the
    ///   sealing key first, as ``read(_:)`` does.
    public func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? {
        guard let file = try folder.read(SealedValue.fileName(of: key), atMost: SealedValue.maximumBytes) else {
            return nil
        }
        return try SealedValue.open(file, of: key, with: try self.key.existingNow())
    }

    /// Returns the value of a key, opening a sealing key in a keyring or under a passphrase first.
    ///
    /// - Throws: As ``readNow(_:)``; `locked` when the keyring is locked, or the passphrase is wrong.
    public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? {
        guard let file = try folder.read(SealedValue.fileName(of: key), atMost: SealedValue.maximumBytes) else {
            return nil
        }
        return try SealedValue.open(file, of: key, with: try await self.key.existing())
    }

    /// Sets the value of a key, in full or not at all; it is on the disk when this returns.
    ///
    /// - Parameters:
    ///   - value: At most 1 MiB less 64 bytes, together with the key's name.
    ///   - key: The key of the value.
    /// - Throws: `locked` when another writer holds the folder for more than ten seconds, or the sealing key is locked;
    ///   `unavailable` when the folder, the sealing key or the disk cannot be used, or the value is too large. The
    ///   former value is still in place.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        try await write(value, for: key, reserved: nil)
    }

    /// Sets the value of a key, in a file that was reserved for it.
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

    /// The folder's path without symbolic links: two stores of one folder hold the same values.
    public var identity: (any Hashable & Sendable)? { FolderPlace(path: PrivateFile.canonical(folder.path)) }

    /// A lock in the store's own folder.
    public var processLock: (any ProcessLock)? { FileLock(directory: URL(fileURLWithPath: folder.path)) }

    /// Removes the value of a key, if it has one.
    ///
    /// - Throws: `locked` or `unavailable`, as for a write; the value is still in place.
    public func remove(_ key: StoreKey) async throws(StorageFailure) {
        let name = SealedValue.fileName(of: key)
        guard try folder.holds(name) else { return }
        let turn = try await folder.takeTurn()
        defer { turn.end() }
        try await BlockingWork.run { [folder] () throws(StorageFailure) in try folder.remove(name, in: turn) }
        observers.look(at: key)
    }

    /// Lists the keys that have values.
    ///
    /// A value that was last written in version 1 of the format does not contain its key and is left out.
    ///
    /// - Throws: As ``read(_:)``, for any file that cannot be read; ``contents()`` reports such files instead.
    ///   `unavailable` when the folder holds more than 10,000 files.
    public func keys() async throws(StorageFailure) -> [StoreKey] {
        let names = try folder.names(endingIn: SealedValue.fileSuffix)
        guard !names.isEmpty else { return [] }
        let seal = try await key.existing()
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            var keys: [StoreKey] = []
            for name in names {
                // The file was removed meanwhile.
                guard let file = try folder.read(name, atMost: SealedValue.maximumBytes) else { continue }
                guard let opened = try SealedValue.open(file, named: name, with: seal) else { continue }
                if let key = opened.name { keys.append(StoreKey(key)) }
            }
            return keys
        }
    }

    /// Reports changes to the value of a key, made here or, within about a second, by another process.
    public func changes(of key: StoreKey) -> AsyncStream<StoreKey.Change> {
        changes(of: key, lookingEvery: .seconds(1))
    }

    /// Reports changes to the value of a key, made here or by another process.
    ///
    /// While the stream has a listener, the file's attributes are inspected, not its content.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - interval: The time between two inspections for changes by other processes; at least 50 ms. A write through
    ///     this store is reported at once.
    ///   - clock: The clock that times the inspections.
    /// - Returns: The changes; of several that the listener has not consumed yet, the last one.
    public func changes(
        of key: StoreKey,
        lookingEvery interval: Duration,
        clock: DeviceClock = .system
    ) -> AsyncStream<StoreKey.Change> {
        let path = "\(folder.path)/\(SealedValue.fileName(of: key))"
        return observers.changes(of: key, lookingEvery: max(interval, .milliseconds(50)), clock: clock) {
            FileIdentity(path)
        }
    }
}

/// The identity of a folder of values.
private struct FolderPlace: Hashable, Sendable {
    let path: String
}

extension FileStore: ReservingSecretStore {
    package func reserve(_ count: Int, for key: StoreKey) async throws(StorageFailure) -> ReservedFile {
        try folder.make()
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            try folder.reserve(SealedValue.fileName(of: key), bytes: count + SealedValue.maximumOverhead)
        }
    }

    package func write(_ value: [UInt8], for key: StoreKey, in room: ReservedFile) async throws(StorageFailure) {
        room.freeDescriptors()
        do throws(StorageFailure) {
            try await write(value, for: key, reserved: room)
            room.release()
        } catch {
            room.takeDescriptors()
            throw error
        }
    }
}

extension FileStore {
    /// Checks whether the store can be used: its key file, its folder and the disk.
    ///
    /// Call it after an `unavailable` failure. If the folder exists, the check writes a temporary file there and
    /// removes it. If the folder holds values, it also checks that a keyring still has their key, as far as the keyring
    /// can be read. It does not check a key under a passphrase.
    ///
    /// - Throws: The first problem, with the file or folder that has it.
    public func check() async throws(FileStore.Problem) {
        try await BlockingWork.run { [folder, key] () throws(FileStore.Problem) in
            try folder.check()
            try key.check(sealing: folder)
            try folder.checkNumber()
        }
        try await key.checkKept(sealing: folder)
    }

    /// Removes the files that this store's key does not open.
    ///
    /// Damaged values are lost. Values under a former key are not, until this removes them: put that key back first. Files
    /// in the format of a newer version stay, since that version may open them.
    ///
    /// - Returns: The paths of the removed files, and of those in a newer format. One that the system does not let this
    ///   process read stays, and is in neither list.
    /// - Throws: `unavailable` or `locked` as ``contents()`` does, and when another writer holds the folder for more than
    ///   ten seconds; files before the one that cannot be removed are gone then.
    public func removeUnreadable() async throws(StorageFailure) -> (removed: [String], newer: [String]) {
        guard try !folder.names(endingIn: SealedValue.fileSuffix).isEmpty else { return ([], []) }
        let seal = try await key.existing()
        let turn = try await folder.takeTurn()
        defer { turn.end() }
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            var (removed, newer): ([String], [String]) = ([], [])
            for name in try folder.names(endingIn: SealedValue.fileSuffix) {
                do throws(StorageFailure) {
                    guard let file = try folder.read(name, atMost: SealedValue.maximumBytes) else { continue }
                    guard !SealedValue.isOfNewerFormat(file) else {
                        newer.append("\(folder.path)/\(name)")
                        continue
                    }
                    _ = try SealedValue.open(file, named: name, with: seal)
                } catch {
                    guard error == .corrupted else { continue }
                    try folder.remove(name, in: turn)
                    removed.append("\(folder.path)/\(name)")
                }
            }
            return (removed, newer)
        }
    }

    /// Lists the keys that have values, and the files that cannot be read.
    ///
    /// Unlike ``keys()``, one damaged file does not hide the others.
    ///
    /// - Returns: The keys, and the paths of the files that this store's key does not open.
    /// - Throws: `unavailable` or `locked` when the folder or the key cannot be used; `unavailable` when the folder
    ///   holds more than 10,000 files.
    public func contents() async throws(StorageFailure) -> (keys: [StoreKey], unreadable: [String]) {
        let names = try folder.names(endingIn: SealedValue.fileSuffix)
        guard !names.isEmpty else { return ([], []) }
        let seal = try await key.existing()
        return try await BlockingWork.run { [folder] () throws(StorageFailure) in
            var (keys, unreadable): ([StoreKey], [String]) = ([], [])
            for name in names {
                do throws(StorageFailure) {
                    guard let file = try folder.read(name, atMost: SealedValue.maximumBytes),
                        let opened = try SealedValue.open(file, named: name, with: seal)
                    else { continue }
                    if let key = opened.name { keys.append(StoreKey(key)) }
                } catch {
                    unreadable.append("\(folder.path)/\(name)")
                }
            }
            return (keys, unreadable)
        }
    }
}
