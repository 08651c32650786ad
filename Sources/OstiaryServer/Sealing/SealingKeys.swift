import Crypto
import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The keys that seal a backend's stored data, so that a leaked store discloses nothing. (AES-256-GCM: NIST SP 800-38D)
///
/// Sealed data names its key and is bound to its place: it does not open in another entry. To change keys, put the new
/// one first; data sealed with the old ones opens as long as they are configured. A session is sealed with the first key
/// at its next refresh. One key can seal some billions of values.
public struct SealingKeys: Sendable {
    /// A key with its name.
    public struct Key: Sendable {
        /// The key's name in sealed data: 1 to 32 bytes, never reused for another key.
        public let id: String
        fileprivate let key: SymmetricKey

        /// Makes a key.
        ///
        /// - Parameters:
        ///   - id: The key's name, 1 to 32 bytes, stored with what it seals.
        ///   - bytes: 32 random bytes.
        /// - Throws: `configuration` at stage `storage` unless there are 32 bytes and the name has 1 to 32.
        public init(id: String, bytes: [UInt8]) throws(SignInError) {
            guard bytes.count == 32, (1...32).contains(id.utf8.count) else {
                throw SignInError(
                    .storage,
                    .configuration("A sealing key must have 32 random bytes, and its name 1 to 32 bytes.")
                )
            }
            self.id = id
            key = SymmetricKey(data: bytes)
        }

        /// Makes a random key, for tests and for a service whose data need not outlive it.
        ///
        /// - Throws: `configuration` as ``init(id:bytes:)``.
        public static func random(id: String = "1") throws(SignInError) -> Key {
            var generator = SystemRandomNumberGenerator()
            return try Key(id: id, bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        }
    }

    /// The first byte of all sealed data.
    private static let version: UInt8 = 1

    /// The keys, shared by all copies of the value.
    private final class Ring: Sendable {
        let content: Lock<(keys: [Key], retired: Set<String>)>

        init(_ keys: [Key], retired: Set<String>) { content = Lock((keys, retired)) }
    }

    private let ring: Ring
    private var keys: [Key] { ring.content.withLock { $0.keys } }
    private var retired: Set<String> { ring.content.withLock { $0.retired } }

    /// Makes the keys from the one to seal with and those that open older data.
    ///
    /// - Parameters:
    ///   - current: Seals and opens.
    ///   - previous: Only open.
    ///   - retired: The names of keys that are no longer used, such as a stolen one: a session that one of them sealed
    ///     has ended. A session that an unknown key sealed is kept, since the key may only be missing here.
    public init(_ current: Key, _ previous: [Key] = [], retired: Set<String> = []) {
        let keys = [current] + previous
        ring = Ring(keys, retired: retired.subtracting(keys.map(\.id)))
    }

    /// Replaces the keys of this value and of every copy of it, while the service runs.
    ///
    /// - Parameter other: The new keys, including those that must still open older data.
    public func replace(with other: SealingKeys) {
        let content = other.ring.content.withLock { $0 }
        ring.content.withLock { $0 = content }
    }

    /// Seals a value for its place.
    ///
    /// - Parameters:
    ///   - value: The data.
    ///   - place: The place at which it is stored.
    /// - Returns: The sealed value, which opens at the same place alone.
    /// - Throws: `unavailable` when random numbers are unavailable.
    public func seal(_ value: [UInt8], for place: StoreDigest) throws(StorageFailure) -> [UInt8] {
        let key = keys[0]
        let head = [Self.version, UInt8(key.id.utf8.count)] + Array(key.id.utf8)
        guard let box = try? AES.GCM.seal(value, using: key.key, authenticating: head + place.bytes),
            let combined = box.combined
        else { throw .unavailable }
        return head + Array(combined)
    }

    /// Opens data sealed for a place.
    ///
    /// - Throws: `corrupted` for data that was not sealed by one of these keys for this place.
    public func open(_ sealed: [UInt8], for place: StoreDigest) throws(StorageFailure) -> [UInt8] {
        guard let (key, length) = key(of: sealed),
            let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(length)),
            let value = try? AES.GCM.open(
                box,
                using: key.key,
                authenticating: Array(sealed.prefix(length)) + place.bytes
            )
        else { throw .corrupted }
        return Array(value)
    }

    /// Whether the key that sealed a value is here.
    func hasKey(of sealed: [UInt8]) -> Bool { key(of: sealed) != nil }

    /// Whether a value was sealed with a retired key.
    func isRetired(_ sealed: [UInt8]) -> Bool {
        guard let id = Self.id(of: sealed) else { return false }
        return retired.contains { $0.utf8.elementsEqual(id) }
    }

    /// The name of the key that sealed a value, as stored in it; `nil` for other data.
    private static func id(of sealed: [UInt8]) -> ArraySlice<UInt8>? {
        guard sealed.count > 2, sealed[0] == version else { return nil }
        let length = 2 + Int(sealed[1])
        return sealed.count > length ? sealed[2..<length] : nil
    }

    private func key(of sealed: [UInt8]) -> (key: Key, length: Int)? {
        guard let id = Self.id(of: sealed) else { return nil }
        return keys.first { $0.id.utf8.elementsEqual(id) }.map { ($0, id.endIndex) }
    }
}

extension SealingKeys: CustomStringConvertible, CustomReflectable {
    /// The names of the keys.
    public var description: String { "SealingKeys(\(keys.map(\.id).joined(separator: ", ")))" }
    /// The names of the keys.
    public var customMirror: Mirror { Mirror(self, children: ["ids": keys.map(\.id)]) }
}

extension SealingKeys.Key: CustomStringConvertible, CustomReflectable {
    /// The name.
    public var description: String { "Key(\(id))" }
    /// The name.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
