import Crypto
import OstiaryOAuth

/// A sealing key in another store, typically the desktop's keyring.
struct KeyInStore: Sendable {
    let store: any SecretStore
    let name: StoreKey
    private let memory = RememberedKey()

    init(store: any SecretStore, name: StoreKey) {
        self.store = store
        self.name = name
    }

    func remembered() throws(StorageFailure) -> SymmetricKey { try memory.now() }

    func existing() async throws(StorageFailure) -> SymmetricKey {
        try await memory.get { () async throws(StorageFailure) in
            guard let key = try await read() else { throw .unavailable }
            return key
        }
    }

    /// The turn of `folder` is taken to generate a key, so that two processes at once get the same one.
    func existingOrNew(sealing folder: SealedFolder) async throws(StorageFailure) -> SymmetricKey {
        try await memory.get { () async throws(StorageFailure) in
            if let key = try await read() { return key }
            try folder.make()
            let turn = try await folder.takeTurn()
            defer { turn.end() }
            if let key = try await read() { return key }
            guard try !folder.holdsSealedValue() else { throw .unavailable }
            try await store.write(SealingKey.randomBytes(), for: name)
            guard let key = try await read() else { throw .unavailable }
            return key
        }
    }

    private func read() async throws(StorageFailure) -> SymmetricKey? {
        guard let bytes = try await store.read(name) else { return nil }
        guard bytes.count == 32 else { throw .corrupted }
        return SymmetricKey(data: bytes)
    }
}
