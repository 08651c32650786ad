public import Ostiary
import OstiaryJOSE
public import OstiaryOAuth

/// Sessions in one file, sealed under a passphrase, to move them to another store or another machine.
///
/// An archive is a copy. When refresh tokens rotate, using one copy ends the other, so remove the exported sessions, or
/// never use the archive.
///
/// The passphrase goes through scrypt (RFC 7914: N 131,072, r 8, p 1), AES-256-GCM seals, and the result is one JSON
/// object with its version.
public enum SessionArchive {
    /// The reason an archive cannot be made or read.
    @nonexhaustive
    public enum Failure: Error, Sendable, Hashable {
        /// The passphrase is wrong, or the archive was changed.
        case wrongPassphrase
        /// A newer program wrote the archive.
        case unknownVersion
        /// The bytes are not an archive, or opening it demands more work than is allowed.
        case malformed
        /// The passphrase is empty.
        case emptyPassphrase
        /// The store failed.
        case storage(StorageFailure)
    }

    /// Seals the values of some keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of the values; a key without a value is left out.
    ///   - store: The store of the values.
    ///   - passphrase: The passphrase, not empty.
    /// - Returns: The archive.
    /// - Throws: ``Failure``: `emptyPassphrase` or `storage`.
    public static func export(
        _ keys: [StoreKey],
        from store: any SecretStore,
        passphrase: Secret
    ) async throws(Failure) -> [UInt8] {
        try await export(keys, from: store, passphrase: passphrase, cost: .standard)
    }

    package static func export(
        _ keys: [StoreKey],
        from store: any SecretStore,
        passphrase: Secret,
        cost: ScryptCost
    ) async throws(Failure) -> [UInt8] {
        guard !passphrase.isEmpty else { throw .emptyPassphrase }
        var entries: [JSONValue] = []
        for key in keys {
            let value: [UInt8]?
            do throws(StorageFailure) { value = try await store.read(key) } catch { throw .storage(error) }
            guard let value else { continue }
            entries.append(
                .object(["key": .string(key.description), "value": .string(Base64URL.encode(value))])
            )
        }
        let content = (["entries": .array(entries)] as JSONObject).encoded()
        return try await sealing { () throws(PassphraseSeal.Failure) in
            try PassphraseSeal.seal(content, format: format, with: passphrase, cost: cost)
        }
    }

    /// Writes the values of an archive to a store, replacing existing ones.
    ///
    /// A session in the store that has been refreshed since the export stays, because the older copy's refresh token
    /// has been used. Each value is replaced under the lock that refreshes and sign-outs take for it
    /// (`StoreKey.writeLockName`).
    ///
    /// - Parameters:
    ///   - archive: At most 16 MiB.
    ///   - store: The store to write to.
    ///   - passphrase: The passphrase that seals the archive.
    ///   - lock: The lock of the store's clients, if it is not the store's own.
    /// - Returns: The keys that were written.
    /// - Throws: ``Failure``. Nothing is written before the whole archive has been opened. When the store fails on the
    ///   way, or a lock cannot be taken, the former values are put back, as far as the store allows and no other writer
    ///   has replaced them.
    @discardableResult
    public static func restore(
        _ archive: [UInt8],
        to store: any SecretStore,
        passphrase: Secret,
        lock: (any ProcessLock)? = nil
    ) async throws(Failure) -> [StoreKey] {
        let entries = try await entries(of: archive, passphrase: passphrase)
        let values = LockedValues(store: store, lock: lock ?? store.processLock)
        var written: [(entry: Entry, before: [UInt8]?)] = []
        do throws(StorageFailure) {
            for entry in entries {
                let swap = try await values.replace(entry.key) {
                    SessionCopy.isNewer($0, than: entry.value) ? $0 : entry.value
                }
                if swap.after == entry.value { written.append((entry, swap.before)) }
            }
        } catch {
            for (entry, before) in written.reversed() {
                _ = try? await values.replace(entry.key) { $0 == entry.value ? before : $0 }
            }
            throw .storage(error)
        }
        return written.map(\.entry.key)
    }

    private typealias Entry = (key: StoreKey, value: [UInt8])

    private static func entries(
        of archive: [UInt8],
        passphrase: Secret
    ) async throws(Failure) -> [Entry] {
        guard archive.count <= maximumBytes else { throw .malformed }
        guard !passphrase.isEmpty else { throw .emptyPassphrase }
        let content = try await sealing { () throws(PassphraseSeal.Failure) in
            try PassphraseSeal.open(archive, format: format, with: passphrase)
        }
        let limits = JSONLimits(maximumBytes: maximumBytes, maximumDepth: 3, maximumMembers: 100_000)
        guard let object = try? JSONObject(parsing: content, limits: limits), let values = object["entries"]?.array
        else { throw .malformed }
        var entries: [Entry] = []
        for value in values {
            guard let entry = value.object, let key = entry["key"]?.string,
                let bytes = entry["value"]?.string.flatMap({ try? Base64URL.decode($0) })
            else { throw .malformed }
            entries.append((StoreKey(key), bytes))
        }
        return entries
    }

    /// Derives a key, which takes half a second, outside the thread pool of asynchronous functions.
    private static func sealing(
        _ body: @escaping @Sendable () throws(PassphraseSeal.Failure) -> [UInt8]
    ) async throws(Failure) -> [UInt8] {
        do throws(PassphraseSeal.Failure) {
            return try await BlockingWork.run(body)
        } catch {
            switch error {
            case .wrongPassphrase: throw .wrongPassphrase
            case .unknownVersion: throw .unknownVersion
            case .malformed, .tooExpensive: throw .malformed
            case .impossible: throw .storage(.unavailable)
            }
        }
    }

    private static let format = "ostiary-sessions"
    private static let maximumBytes = 16 * 1_048_576
}

/// A copy of a stored session, reduced to the facts that show which of two copies is newer.
struct SessionCopy: Sendable, Hashable {
    let id: String
    let revision: Int

    /// Reads a stored value; `nil` for anything but a session, and for a session without a revision.
    init?(_ bytes: [UInt8]) {
        guard let object = try? JSONObject(parsing: bytes, limits: StoredSession.limits), let id = object["id"]?.string,
            let revision = object["revision"]?.integer, object["tokens"]?.object != nil
        else { return nil }
        self.id = id
        self.revision = revision
    }

    /// Whether a value is a later copy of the same session.
    static func isNewer(_ value: [UInt8]?, than other: [UInt8]) -> Bool {
        guard let copy = value.flatMap(SessionCopy.init), let other = SessionCopy(other) else { return false }
        return copy.id.utf8.elementsEqual(other.id.utf8) && copy.revision > other.revision
    }
}

/// The values of a store, each changed under the lock of its writers.
struct LockedValues: Sendable {
    let store: any SecretStore
    let lock: (any ProcessLock)?

    /// Replaces a value with one made from it; an equal value is not written again, and `nil` removes it.
    ///
    /// - Returns: The value before and the value after.
    func replace(
        _ key: StoreKey,
        by next: ([UInt8]?) -> [UInt8]?
    ) async throws(StorageFailure) -> (before: [UInt8]?, after: [UInt8]?) {
        let hold = try await lock?.acquire(key.writeLockName, waiting: Self.patience)
        defer { hold?.release() }
        let before = try await store.read(key)
        let after = next(before)
        guard after != before else { return (before, after) }
        if let after { try await store.write(after, for: key) } else { try await store.remove(key) }
        return (before, after)
    }

    /// More than a read and a write take.
    private static let patience = Duration.seconds(10)
}
