public import OstiaryOAuth

/// Keeps secret bytes between launches.
///
/// What every store promises, and `SecretStoreCheck` of the testing kit checks: a write that returned survives the
/// process; a write that threw left the value before it; one key's value is never another's; a store that is locked
/// says so and loses nothing.
public protocol SecretStore: Sendable {
    /// The value of a key; `nil` when there is none.
    ///
    /// - Throws: `locked`, `unavailable`, or `corrupted`, and then what is stored stays as it is.
    func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]?
    /// Sets the value of a key, all of it or nothing of it.
    ///
    /// - Throws: `locked` or `unavailable`; the value before it is still there.
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure)
    /// Removes the value of a key, if there is one.
    ///
    /// - Throws: `locked` or `unavailable`; the value is still there.
    func remove(_ key: StoreKey) async throws(StorageFailure)

    /// What keeps processes that share this store from refreshing one session at once.
    ///
    /// A store that other processes can open returns a lock that they share, such as a ``FileLock``. Default: none; the
    /// clients of this process then share a lock of their own.
    var processLock: (any ProcessLock)? { get }

    /// A value that is equal for two stores that hold the same values, and different for all others.
    ///
    /// All clients of one stored session in a process share its lock, its live ``Session`` and its sign-in, and this is how
    /// they find each other. Default: the object for a class, the value for a `Hashable` type, and `nil` otherwise, which
    /// leaves each client on its own, with one lock for all such stores.
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

/// A store that reads without waiting for anybody: memory, a file, a keychain.
///
/// An app can show at launch whether somebody is signed in, before its first asynchronous call.
public protocol ImmediateSecretStore: SecretStore {
    /// The value of a key, at once; `nil` when there is none.
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

    /// Compares bytes: two spellings of one accented letter are two names, as they are in every file and keyring.
    public static func == (left: StoreKey, right: StoreKey) -> Bool {
        left.description.utf8.elementsEqual(right.description.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var name = description
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The name of the lock under which a session's value is replaced or removed, each time for as long as a look and a
    /// write take.
    ///
    /// Whoever removes a session's value by the store itself takes this of ``SecretStore/processLock`` first: a refresh that
    /// is under way would otherwise put it back between its look and its write.
    public var writeLockName: String { description + " write" }

    /// The session of a client at an issuer, and of one account when an app keeps several.
    public static func session(issuer: Issuer, clientID: String, account: String? = nil) -> StoreKey {
        StoreKey(
            ["session", issuer.description, clientID, account ?? ""].map(FormURLEncoding.escape).joined(separator: "/")
        )
    }

    /// A sign-in that waits for its answer, as ``session(issuer:clientID:account:)``.
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

    /// Whether it names learned facts: no store asks the user before it reads them.
    package var isOfLearnedFacts: Bool { description.utf8.starts(with: "learned/".utf8) }

    /// The registration of a client that registered itself at an issuer.
    public static func registration(issuer: Issuer, name: String) -> StoreKey {
        StoreKey(["registration", issuer.description, name].map(FormURLEncoding.escape).joined(separator: "/"))
    }

    /// Refresh tokens that have to be revoked yet, as ``session(issuer:clientID:account:)``.
    public static func revocations(issuer: Issuer, clientID: String, account: String? = nil) -> StoreKey {
        StoreKey(
            ["revocations", issuer.description, clientID, account ?? ""].map(FormURLEncoding.escape)
                .joined(separator: "/")
        )
    }
}
