public import Crypto
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a ``FileStore`` seals values with: 256 bits, and where they come from.
public struct SealingKey: Sendable {
    private enum Source: Sendable {
        case file(String)
        case given(SymmetricKey)
        case kept(KeyInStore)
        case passphrase(KeyUnderPassphrase)
        case plain
    }

    private let source: Source

    /// The path of an unsealed key's file; `nil` for every other key.
    var keyFile: String? { if case .file(let path) = source { path } else { nil } }

    /// The key in another store; `nil` for every other key.
    var keyInStore: KeyInStore? { if case .kept(let key) = source { key } else { nil } }

    /// A key in a file of 32 random bytes, made for this user only by the first write.
    ///
    /// A file that others can read, that belongs to another user, or that is a link is refused as `unavailable`. Whoever
    /// can read both the file and the folder can read the values: it keeps them out of backups and of other users' reach.
    public static func file(at url: URL) -> SealingKey { file(at: url.path) }

    /// A key in a file that is named by its path.
    public static func file(at path: String) -> SealingKey { SealingKey(source: .file(path)) }

    /// A key in the desktop's keyring, or in any other store; 32 random bytes are put there by the first write.
    ///
    /// It is asked for once and then remembered. Until then ``FileStore/readNow(_:)`` throws `locked`, since a keyring
    /// may have to ask a person first.
    ///
    /// - Parameters:
    ///   - store: The keyring, for example a `SecretServiceStore`.
    ///   - key: The name of the key in it.
    public static func kept(
        in store: any SecretStore,
        as key: StoreKey = StoreKey("ostiary/sealing-key")
    ) -> SealingKey {
        SealingKey(source: .kept(KeyInStore(store: store, name: key)))
    }

    /// A key that a passphrase opens (scrypt, RFC 7914): random bytes, sealed in a file, which the first write makes.
    ///
    /// It is computed once, which takes about half a second and 128 MiB, and then remembered. Until then
    /// ``FileStore/readNow(_:)`` throws `locked`. Another passphrase throws `locked`, too: nothing was lost.
    ///
    /// - Parameters:
    ///   - passphrase: Not empty.
    ///   - path: The file, for this user only, which holds the sealed key and the parameters of its sealing.
    public static func passphrase(_ passphrase: Secret, keyFile path: String) -> SealingKey {
        self.passphrase(passphrase, keyFile: path, cost: .standard)
    }

    package static func passphrase(_ passphrase: Secret, keyFile path: String, cost: ScryptCost) -> SealingKey {
        SealingKey(source: .passphrase(KeyUnderPassphrase(passphrase: passphrase, path: path, cost: cost)))
    }

    /// No key at all: values stand in their files as they are, and whoever reads a file has the session.
    ///
    /// The files are still for this user only. For a machine without a keyring and without a person, whose disk is
    /// encrypted as a whole.
    public static let unsealedPlainText = SealingKey(source: .plain)

    /// A key that the app keeps, for example in the system's keyring.
    ///
    /// - Parameter key: 256 bits; with another size nothing can be read or written (`unavailable`).
    public static func symmetric(_ key: SymmetricKey) -> SealingKey { SealingKey(source: .given(key)) }

    /// A key that the app keeps, as its octets.
    ///
    /// - Parameter bytes: 32; with another number nothing can be read or written (`unavailable`).
    public static func bytes(_ bytes: [UInt8]) -> SealingKey { .symmetric(SymmetricKey(data: bytes)) }

    /// The key, which is there already: to make a new one could open nothing.
    func existing() async throws(StorageFailure) -> SealedValue.Seal {
        switch source {
        case .kept(let key): .key(try await key.existing())
        case .passphrase(let key): .key(try await key.existing())
        default: try existingNow()
        }
    }

    /// The key, without waiting for anybody.
    ///
    /// - Throws: `locked` when somebody would have to be waited for.
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

    /// The key; one is made when there is none, and nothing was sealed with it yet.
    ///
    /// A new key beside values of a lost one could open none of them, and would hide that the old one has to be put back.
    ///
    /// - Parameter folder: What is going to be sealed.
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

    /// A new key's octets.
    static func randomBytes() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) } }

    /// A key of the right size.
    static func checked(_ key: SymmetricKey) throws(StorageFailure) -> SymmetricKey {
        guard key.bitCount == 256 else { throw .unavailable }
        return key
    }
}

extension SealingKey: CustomStringConvertible, CustomReflectable {
    /// Where the key is; never what it is.
    public var description: String {
        switch source {
        case .file(let path): "SealingKey(file: \(path))"
        case .given: "SealingKey([redacted])"
        case .kept(let key): "SealingKey(kept as: \(key.name))"
        case .passphrase(let key): "SealingKey(passphrase: \(key.path))"
        case .plain: "SealingKey(none: plain text)"
        }
    }
    /// Where the key is.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
