import Crypto
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps values in files, each sealed with AES-256-GCM under one key.
///
/// A file that was changed, cut short or put in another's place is refused. What sealing cannot show is that an older
/// file of the same name was put back. The folder is as safe as the key: keep a key file where only this user reads.
public struct FileStore: ImmediateSecretStore {
    private let folder: SealedFolder
    private let key: SealingKey

    /// Makes a store; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - directory: A folder of the store's own; made with its parents, for this user only, by the first write.
    ///   - key: What values are sealed with.
    public init(directory: URL, key: SealingKey) { self.init(directory: directory.path, key: key) }

    /// Makes a store in a folder that is named by its path.
    public init(directory: String, key: SealingKey) {
        self.init(directory: directory, key: key, patience: .seconds(5))
    }

    package init(directory: String, key: SealingKey, patience: Duration) {
        folder = SealedFolder(path: directory, patience: patience)
        self.key = key
    }

    /// The value of a key; `nil` when there is none, and when the folder is not there yet.
    ///
    /// - Throws: `corrupted` for a file that does not open under this key and name, and it stays as it is; `unavailable`
    ///   when the folder or the key cannot be used.
    public func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]? {
        guard let file = try folder.read(Self.fileName(of: key), atMost: SealedValue.maximumBytes) else { return nil }
        let sealing = try self.key.existing()
        return try SealedValue.open(file, name: key.description, with: sealing)
    }

    /// Sets the value of a key, all of it or nothing of it; it is on the disk when this returns.
    ///
    /// - Parameter value: At most 1 MiB less 64 bytes.
    /// - Throws: `locked` when another process keeps the folder for more than five seconds; `unavailable` when the folder,
    ///   the key or the disk cannot be used. The value before it is still there.
    public func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
        let sealed = try SealedValue.seal(value, name: key.description, with: try self.key.existingOrNew())
        try folder.replace(Self.fileName(of: key), with: sealed)
    }

    /// A lock in the store's own folder.
    public var processLock: (any ProcessLock)? { FileLock(directory: URL(fileURLWithPath: folder.path)) }

    /// Removes the value of a key, if there is one.
    ///
    /// - Throws: `locked` or `unavailable`, as for a write; the value is still there.
    public func remove(_ key: StoreKey) async throws(StorageFailure) {
        try folder.remove(Self.fileName(of: key))
    }

    /// A name of one length and of harmless characters, which does not tell who signs in where.
    private static func fileName(of key: StoreKey) -> String {
        let digits = Array("0123456789abcdef")
        let hash = SHA256.hash(data: Array(key.description.utf8))
        return String(hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] }) + ".sealed"
    }
}
