import OstiaryJOSE
public import OstiaryOAuth

extension ClientInstance {
    /// This installation's instance at an authorization server: the one that was stored, or a new one, stored by then.
    ///
    /// An instance whose key is lost, as on a phone that was restored from another's backup, is a new one; refresh tokens of
    /// the old one are worth nothing, and the person signs in again. The key of hardware signs once here, since hardware may
    /// refuse a lost one no earlier; one that it does not open now is not lost.
    ///
    /// - Parameters:
    ///   - issuer: The authorization server; each has an instance of its own.
    ///   - clientID: The client that it is an instance of.
    ///   - store: Keeps the key, or the handle of hardware that keeps it.
    ///   - attester: Vouches for it.
    ///   - makeKey: Makes a new key. Default: one in the store.
    /// - Throws: `storage` when it cannot be read or stored, with `locked` also when the hardware opens no key now: the
    ///   stored instance stays. What `makeKey` throws.
    public static func stored(
        in store: any SecretStore,
        issuer: Issuer,
        clientID: String,
        attester: ClientAttester,
        makeKey: () throws(SignInError) -> DPoPKey = { () throws(SignInError) in try DPoPKey.generate() }
    ) async throws(SignInError) -> ClientInstance {
        let name = ["instance", issuer.description, clientID].map(FormURLEncoding.escape).joined(separator: "/")
        do throws(StorageFailure) {
            if let key = try await storedKey(in: store, StoreKey(name)) {
                return ClientInstance(key: key.signingKey, attester: attester)
            }
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        let key = try makeKey()
        let value: JSONObject = ["version": 1, "key": .object(try key.stored())]
        do throws(StorageFailure) {
            try await store.write(value.encoded(), for: StoreKey(name))
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        return ClientInstance(key: key.signingKey, attester: attester)
    }

    private static func storedKey(in store: any SecretStore, _ name: StoreKey) async throws(StorageFailure) -> DPoPKey?
    {
        guard let value = try await store.read(name) else { return nil }
        guard let object = try? JSONObject(parsing: value), object["version"]?.integer == 1,
            let key = object["key"]?.object
        else { throw .corrupted }
        do throws(SignInError) {
            let key = try DPoPKey(stored: key, .thisDevice)
            return try isOpened(key.signingKey) ? key : nil
        } catch {
            switch error.reason {
            case .keyLost: return nil
            case .storage(let failure): throw failure
            default: throw .corrupted
            }
        }
    }

    /// Whether hardware still signs with a key; other keys are in the store themselves.
    private static func isOpened(_ key: SigningKey) throws(SignInError) -> Bool {
        guard key.external != nil else { return true }
        do throws(JOSEError) {
            _ = try key.signature(for: Array("ostiary instance".utf8))
            return true
        } catch {
            guard error == .keyLost else { throw SignInError(.storage, .storage(.locked)) }
            return false
        }
    }
}
