public import OstiaryOAuth

/// The key of this installation of an app, which proves possession of it to the app's own backend (RFC 9449).
///
/// The key is generated when it is first needed, then stored and reused. It is never the key that an issuer's tokens
/// are bound to. Keep the value: its concurrent calls share one key, even before the key is stored.
public actor InstallationKey {
    private let store: any SecretStore
    private let storeKey: StoreKey
    private let make: @Sendable () throws(SignInError) -> DPoPKey
    private var known: DPoPKey?

    /// Describes a key; reads and generates nothing.
    ///
    /// - Parameters:
    ///   - name: Separates the keys of one app, for example by the backend's origin. Default `backend`.
    ///   - store: The store of the key. Default: the platform's.
    ///   - make: Generates the key. Default: a P-256 key in the store. On Apple platforms,
    ///     `{ try SessionKey.secureEnclaveOrStore.make() }` generates one in the Secure Enclave.
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

    /// Returns the key, generating and storing it the first time.
    ///
    /// - Throws: `storage` when the key cannot be read or stored; `keyLost` when its hardware no longer has it (call
    ///   ``reset()`` for a new one); the errors of the closure that generates it.
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

    /// Deletes the key; the next call generates a new one.
    ///
    /// The backend's sessions of the old key become unusable.
    ///
    /// - Throws: `storage`; the key is still in place.
    public func reset() async throws(SignInError) {
        do throws(StorageFailure) { try await store.remove(storeKey) } catch {
            throw SignInError(.storage, .storage(error))
        }
        known = nil
    }
}
