import OstiaryJOSE
public import OstiaryOAuth

/// Sessions in one file, sealed under a passphrase: to take them to another store or another machine.
///
/// An archive is a copy. Where refresh tokens rotate, whichever copy is used first ends the other one, so remove the
/// sessions that were exported, or never use the archive.
///
/// The passphrase goes through scrypt (RFC 7914: N 131,072, r 8, p 1), AES-256-GCM seals, and the whole is one JSON object
/// with its version.
public enum SessionArchive {
    /// Why an archive cannot be made or read.
    @nonexhaustive
    public enum Failure: Error, Sendable, Hashable {
        /// The passphrase is another one, or the archive was changed.
        case wrongPassphrase
        /// A newer program has written it.
        case unknownVersion
        /// It is no archive, or asks for more work than one may.
        case malformed
        /// The passphrase is empty.
        case emptyPassphrase
        /// The store failed.
        case storage(StorageFailure)
    }

    /// Seals the values of some keys.
    ///
    /// - Parameters:
    ///   - keys: Those that have no value are left out.
    ///   - store: Where they are.
    ///   - passphrase: Not empty.
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

    /// Puts what an archive holds into a store, in place of what is there.
    ///
    /// A session that is there and has been renewed since it was exported stays: the refresh token of the older copy is used up.
    /// Each value is replaced under the lock that refreshes and sign-outs take for it (``StoreKey/writeLockName``).
    ///
    /// - Parameters:
    ///   - archive: At most 16 MiB.
    ///   - store: The store to write to.
    ///   - passphrase: The passphrase that seals the archive.
    ///   - lock: The lock that the clients of the store have, where it is not the store's own.
    /// - Returns: The keys that were written.
    /// - Throws: ``Failure``. Nothing is written before the whole archive was opened; when the store fails on the way, or a lock
    ///   cannot be had, the values that were there are put back, as far as the store lets them and nobody has replaced them.
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

    /// Derives a key off the pool of asynchronous functions: it takes half a second.
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
