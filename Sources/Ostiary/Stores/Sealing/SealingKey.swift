public import Crypto
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The 256-bit key that seals the values of a ``FileStore``, and its source.
public struct SealingKey: Sendable {
    private enum Source: Sendable {
        case file(String)
        case given(SymmetricKey)
        case kept(KeyInStore)
        case passphrase(KeyUnderPassphrase)
        case plain
    }

    private let source: Source

    /// The path of a file with an unsealed key; `nil` for every other key.
    var keyFile: String? { if case .file(let path) = source { path } else { nil } }

    /// The key in another store; `nil` for every other key.
    var keyInStore: KeyInStore? { if case .kept(let key) = source { key } else { nil } }

    /// A key in a file of 32 random bytes, which the first write creates for this user only.
    ///
    /// A file that other users can access, that belongs to another user, or that is a link is rejected as
    /// `unavailable`. A process that can read both the file and the folder can read the values. The key protects them
    /// from other users, and in a backup of the folder alone.
    public static func file(at url: URL) -> SealingKey { file(at: url.path) }

    /// A key in the file at a path.
    public static func file(at path: String) -> SealingKey { SealingKey(source: .file(path)) }

    /// A key in the desktop's keyring or in any other store, where the first write puts 32 random bytes.
    ///
    /// The key is fetched once and then remembered. Until then ``FileStore/readNow(_:)`` throws `locked`, since a
    /// keyring may have to ask the user first.
    ///
    /// - Parameters:
    ///   - store: The keyring, for example a `SecretServiceStore`.
    ///   - key: The name of the key in that store.
    /// - Returns: The sealing key.
    public static func kept(
        in store: any SecretStore,
        as key: StoreKey = StoreKey("ostiary/sealing-key")
    ) -> SealingKey {
        SealingKey(source: .kept(KeyInStore(store: store, name: key)))
    }

    /// A key that a passphrase opens (scrypt, RFC 7914): random bytes, sealed in a file that the first write creates.
    ///
    /// The key is opened once, which takes about half a second and 128 MiB, and then remembered. Until then
    /// ``FileStore/readNow(_:)`` throws `locked`. A wrong passphrase also throws `locked`: nothing is lost.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase, not empty.
    ///   - path: The file of the sealed key and of the parameters of its sealing, for this user only.
    /// - Returns: The sealing key.
    public static func passphrase(_ passphrase: Secret, keyFile path: String) -> SealingKey {
        self.passphrase(passphrase, keyFile: path, cost: .standard)
    }

    package static func passphrase(_ passphrase: Secret, keyFile path: String, cost: ScryptCost) -> SealingKey {
        SealingKey(source: .passphrase(KeyUnderPassphrase(passphrase: passphrase, path: path, cost: cost)))
    }

    /// No key: values are stored as plain text, and any process that reads a file has the session.
    ///
    /// The files are still for this user only. Use it on a machine without a keyring and without a user at the screen,
    /// whose whole disk is encrypted.
    public static let unsealedPlainText = SealingKey(source: .plain)

    /// A key that the app keeps, for example in the system's keyring.
    ///
    /// - Parameter key: 256 bits; with another size nothing can be read or written (`unavailable`).
    /// - Returns: The sealing key.
    public static func symmetric(_ key: SymmetricKey) -> SealingKey { SealingKey(source: .given(key)) }

    /// A key that the app keeps, as its octets.
    ///
    /// - Parameter bytes: 32; with another number nothing can be read or written (`unavailable`).
    /// - Returns: The sealing key.
    public static func bytes(_ bytes: [UInt8]) -> SealingKey { .symmetric(SymmetricKey(data: bytes)) }

    /// Returns the existing key; a new one could open nothing.
    func existing() async throws(StorageFailure) -> SealedValue.Seal {
        switch source {
        case .kept(let key): .key(try await key.existing())
        case .passphrase(let key): .key(try await key.existing())
        default: try existingNow()
        }
    }

    /// Returns the key without waiting.
    ///
    /// - Throws: `locked` when a keyring or a passphrase has to open it first; `unavailable` when it is missing.
    func existingNow() throws(StorageFailure) -> SealedValue.Seal {
        switch source {
        case .plain: return .plain
        case .given(let key): return .key(try Self.checked(key))
        case .file(let path):
            guard let key = try Self.read(path) else { throw .unavailable }
            return .key(key)
        case .kept(let key): return .key(try key.remembered())
        case .passphrase(let key): return .key(try key.remembered())
        }
    }

    /// Returns the key, generating one when there is none and nothing has been sealed yet.
    ///
    /// A new key beside values of a lost one could open none of them, and would hide that the old one has to be
    /// restored.
    ///
    /// `folder` is the folder whose values the key seals.
    ///
    /// - Throws: `unavailable` when the key is missing and the folder holds sealed values.
    func existingOrNew(sealing folder: SealedFolder) async throws(StorageFailure) -> SealedValue.Seal {
        switch source {
        case .kept(let key): return .key(try await key.existingOrNew(sealing: folder))
        case .passphrase(let key): return .key(try await key.existingOrNew(sealing: folder))
        case .given, .plain: return try existingNow()
        case .file(let path):
            if let key = try Self.read(path) { return .key(key) }
            let isLost = try folder.holdsSealedValue()
            // Another process may have made the key, and sealed a value with it, since the first look.
            if isLost, let key = try Self.read(path) { return .key(key) }
            guard !isLost else { throw .unavailable }
            try await BlockingWork.run { () throws(StorageFailure) in
                try PrivateFile.make(path, holding: Self.randomBytes())
            }
            // Another process may have been first: its key counts.
            guard let key = try Self.read(path) else { throw .unavailable }
            return .key(key)
        }
    }

    private static func read(_ path: String) throws(StorageFailure) -> SymmetricKey? {
        guard let file = try PrivateFile.open(path) else { return nil }
        guard file.isRegular, file.isOwnedByThisUser, file.isClosedToOthers, file.size == 32 else { throw .unavailable }
        return try checked(SymmetricKey(data: try file.bytes(atMost: 32)))
    }

    /// The bytes of a new key.
    static func randomBytes() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    /// Returns the key if it has the right size.
    static func checked(_ key: SymmetricKey) throws(StorageFailure) -> SymmetricKey {
        guard key.bitCount == 256 else { throw .unavailable }
        return key
    }
}

extension SealingKey: CustomStringConvertible, CustomReflectable {
    /// The place of the key, and never the key.
    public var description: String {
        switch source {
        case .file(let path): "SealingKey(file: \(path))"
        case .given: "SealingKey([redacted])"
        case .kept(let key): "SealingKey(kept as: \(key.name))"
        case .passphrase(let key): "SealingKey(passphrase: \(key.path))"
        case .plain: "SealingKey(none: plain text)"
        }
    }
    /// The place of the key.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
