public import Crypto
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a ``FileStore`` seals values with: 256 bits.
public struct SealingKey: Sendable {
    private enum Source: Sendable {
        case file(String)
        case given(SymmetricKey)
    }

    private let source: Source

    /// A key in a file of 32 random bytes, made for this user only by the first write.
    ///
    /// A file that others can read, that belongs to another user, or that is a link is refused as `unavailable`.
    public static func file(at url: URL) -> SealingKey { file(at: url.path) }

    /// A key in a file that is named by its path.
    public static func file(at path: String) -> SealingKey { SealingKey(source: .file(path)) }

    /// A key that the app keeps, for example in the system's keyring.
    ///
    /// - Parameter key: 256 bits; with another size nothing can be read or written (`unavailable`).
    public static func symmetric(_ key: SymmetricKey) -> SealingKey { SealingKey(source: .given(key)) }

    /// A key that the app keeps, as its octets.
    ///
    /// - Parameter bytes: 32; with another number nothing can be read or written (`unavailable`).
    public static func bytes(_ bytes: [UInt8]) -> SealingKey { .symmetric(SymmetricKey(data: bytes)) }

    /// The key, which is there already: to make a new one could open nothing.
    func existing() throws(StorageFailure) -> SymmetricKey {
        switch source {
        case .given(let key): return try Self.checked(key)
        case .file(let path):
            guard let key = try Self.read(path) else { throw .unavailable }
            return key
        }
    }

    /// The key; a file is made when there is none.
    func existingOrNew() throws(StorageFailure) -> SymmetricKey {
        guard case .file(let path) = source else { return try existing() }
        if let key = try Self.read(path) { return key }
        let bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        try PrivateFile.make(path, holding: bytes)
        // Another process may have been first: its key counts.
        guard let key = try Self.read(path) else { throw .unavailable }
        return key
    }

    private static func read(_ path: String) throws(StorageFailure) -> SymmetricKey? {
        guard let file = try PrivateFile.open(path) else { return nil }
        guard file.isRegular, file.isOwnedByThisUser, file.isClosedToOthers, file.size == 32 else { throw .unavailable }
        return try checked(SymmetricKey(data: try file.bytes(atMost: 32)))
    }

    private static func checked(_ key: SymmetricKey) throws(StorageFailure) -> SymmetricKey {
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
        }
    }
    /// Where the key is.
    public var customMirror: Mirror { Mirror(self, children: ["key": description]) }
}
