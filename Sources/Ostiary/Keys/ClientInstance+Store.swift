import OstiaryJOSE
public import OstiaryOAuth

extension ClientInstance {
    /// Returns this installation's instance at an authorization server: the stored one, or a new one that has been
    /// stored.
    ///
    /// A lost key, as on a phone that was restored from another's backup, is replaced by a new instance. Refresh tokens
    /// of the old instance are then worthless, and the user signs in again. A hardware key signs once here, because the
    /// hardware may report a lost key only when it signs. A key that the hardware does not open now is not lost.
    ///
    /// - Parameters:
    ///   - store: The store of the key, or of the handle of a hardware key.
    ///   - issuer: The authorization server; each has an instance of its own.
    ///   - clientID: The client of the instance.
    ///   - attester: Vouches for the instance.
    ///   - makeKey: Generates a new key. Default: one in the store.
    /// - Returns: The instance, whose key is stored.
    /// - Throws: `storage` when the instance cannot be read or stored; its failure is `locked` when the hardware opens
    ///   no key now. The stored instance is left in place. Also the errors of `makeKey`.
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

    /// Whether the hardware still signs with a key; a key without hardware is in the store itself.
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
