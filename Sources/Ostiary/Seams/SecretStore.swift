public import OstiaryOAuth

/// Stores secret bytes between launches.
///
/// `SecretStoreCheck` of the testing kit checks every promise of a store. A write that returned survives the process. A
/// write that threw left the earlier value. One key's value is never another's. A locked store says so and loses
/// nothing.
public protocol SecretStore: Sendable {
    /// Returns the value of a key; `nil` for none.
    ///
    /// - Throws: `locked`, `unavailable`, or `corrupted`, and then the stored value is left in place.
    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]?
    /// Sets the value of a key, all of it or nothing of it.
    ///
    /// - Throws: `locked` or `unavailable`; the value before it is still there.
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure)
    /// Removes the value of a key, if there is one.
    ///
    /// - Throws: `locked` or `unavailable`; the value is still there.
    func remove(_ key: StoreKey) async throws(StorageFailure)

    /// The lock that keeps processes that share this store from refreshing one session at once.
    ///
    /// A store that other processes can open returns a lock that they share, such as a ``FileLock``. Default: none; the
    /// clients of this process then share a lock of their own.
    var processLock: (any ProcessLock)? { get }

    /// A value that is equal for two stores that hold the same values, and different for all others.
    ///
    /// All clients of one stored session in a process share its lock, its live ``Session`` and its sign-in, and this is
    /// how they find each other. Default: the object for a class, the value for a `Hashable` type, and `nil` otherwise,
    /// which leaves each client on its own, with one lock for all such stores.
    var identity: (any Hashable & Sendable)? { get }
}

extension SecretStore {
    /// None: no other process opens this store.
    public var processLock: (any ProcessLock)? { nil }

    /// The object, the `Hashable` value, or `nil`.
    public var identity: (any Hashable & Sendable)? {
        if Self.self is AnyObject.Type { return ObjectIdentifier(self as AnyObject) }
        return self as? any Hashable & SecretStore
    }
}

/// A store that reads without waiting: memory, a file, a keychain.
///
/// At launch, an app can then display whether the user is signed in, before its first asynchronous call.
public protocol ImmediateSecretStore: SecretStore {
    /// Returns the value of a key at once; `nil` for none.
    ///
    /// - Throws: As ``SecretStore/read(_:)``.
    func readNow(_ key: StoreKey) throws(StorageFailure) -> [UInt8]?
}

extension ImmediateSecretStore {
    /// The value of a key.
    public func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try readNow(key) }
}

/// Names one value in a store.
public struct StoreKey: Sendable, Hashable, CustomStringConvertible {
    /// The name; it may hold any character.
    public let description: String

    /// Takes any name.
    public init(_ name: String) { description = name }

    /// Compares bytes: two spellings of one accented letter are two names, as in every file and keyring.
    public static func == (left: StoreKey, right: StoreKey) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var name = description
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The name of the lock under which a session's value is replaced or removed, each time for one read and one write.
    ///
    /// Code that removes a session's value from the store itself must first take this lock of
    /// ``SecretStore/processLock``. A refresh in progress could otherwise restore the value between its read and its
    /// write.
    public var writeLockName: String { description + " write" }

    /// The session of a client at an issuer, and of one account when an app keeps several.
    public static func session(issuer: Issuer, clientID: String, account: String? = nil) -> StoreKey {
        StoreKey(
            ["session", issuer.description, clientID, account ?? ""].map(FormURLEncoding.escape).joined(separator: "/")
        )
    }

    /// A sign-in that waits for its response, as ``session(issuer:clientID:account:)``.
    public static func pending(issuer: Issuer, clientID: String, account: String? = nil) -> StoreKey {
        StoreKey(
            ["pending", issuer.description, clientID, account ?? ""].map(FormURLEncoding.escape).joined(separator: "/")
        )
    }

    /// The facts about an issuer that save requests, such as its metadata and keys, as
    /// ``session(issuer:clientID:account:)``.
    ///
    /// They outlive a sign-out. Removing them costs requests and nothing else.
    public static func learned(issuer: Issuer, clientID: String, account: String? = nil) -> StoreKey {
        StoreKey(
            ["learned", issuer.description, clientID, account ?? ""].map(FormURLEncoding.escape).joined(separator: "/")
        )
    }

    /// Whether the key names learned facts: no store requires the user's presence to read them.
    package var isOfLearnedFacts: Bool { description.utf8.starts(with: "learned/".utf8) }

    /// The registration of a client that registered itself at an issuer.
    public static func registration(issuer: Issuer, name: String) -> StoreKey {
        StoreKey(["registration", issuer.description, name].map(FormURLEncoding.escape).joined(separator: "/"))
    }

    /// Refresh tokens that must still be revoked, as ``session(issuer:clientID:account:)``.
    public static func revocations(issuer: Issuer, clientID: String, account: String? = nil) -> StoreKey {
        StoreKey(
            ["revocations", issuer.description, clientID, account ?? ""].map(FormURLEncoding.escape)
                .joined(separator: "/")
        )
    }
}
