public import OstiaryOAuth

/// The key of this installation of an app, which it proves to its own backend (RFC 9449).
///
/// The key is made when it is first needed, stored, and the same from then on. It is none of the keys that tokens of an
/// issuer are bound to. Keep the value: calls of one value share the key while it is stored.
public actor InstallationKey {
    private let store: any SecretStore
    private let storeKey: StoreKey
    private let make: @Sendable () throws(SignInError) -> DPoPKey
    private var known: DPoPKey?

    /// Describes a key; nothing is read or made.
    ///
    /// - Parameters:
    ///   - name: Separates the keys of one app, for example by the backend's origin. Default `backend`.
    ///   - store: The store of the key. Default: the platform's.
    ///   - make: Makes the key. Default: a P-256 key in the store; on Apple platforms
    ///     `{ try SessionKey.secureEnclaveOrStore.make() }` makes one in the Secure Enclave.
    public init(
        named name: String = "backend",
        store: any SecretStore = SignInClient.defaultStore,
        making make: @escaping @Sendable () throws(SignInError) -> DPoPKey = { () throws(SignInError) in
            try DPoPKey.generate()
        }
    ) {
        self.store = store
        self.make = make
        storeKey = StoreKey("installation-key/" + FormURLEncoding.escape(name))
    }

    /// Returns the key, which is made and stored the first time.
    ///
    /// - Throws: `storage` when the key cannot be read or stored; `keyLost` when its hardware no longer has it, after
    ///   which ``reset()`` makes a new one.
    public func key() async throws(SignInError) -> DPoPKey {
        if let known { return known }
        let bytes: [UInt8]?
        do throws(StorageFailure) { bytes = try await store.read(storeKey) } catch {
            throw SignInError(.storage, .storage(error))
        }
        // Another caller may have been faster.
        if let known { return known }
        if let bytes {
            guard let object = try? JSONObject(parsing: bytes), object["version"]?.integer == 1,
                let stored = object["key"]?.object
            else { throw SignInError(.storage, .storage(.corrupted)) }
            let key = try DPoPKey(stored: stored, .thisDevice)
            known = key
            return key
        }
        let key = try make()
        known = key
        let object: JSONObject = ["version": 1, "key": .object(try key.stored())]
        do throws(StorageFailure) {
            try await store.write(object.encoded(), for: storeKey)
        } catch {
            known = nil
            throw SignInError(.storage, .storage(error))
        }
        return key
    }

    /// Deletes the key: the next call makes a new one, and the backend's sessions of the old one can no longer be used.
    ///
    /// - Throws: `storage`; the key is still there then.
    public func reset() async throws(SignInError) {
        do throws(StorageFailure) { try await store.remove(storeKey) } catch {
            throw SignInError(.storage, .storage(error))
        }
        known = nil
    }
}
