public import Ostiary
import OstiaryCompatibility

/// Stores values that are released only while the user is present: with their finger or face.
///
/// It is deliberately not a `SecretStore`: a session in one could not be refreshed in the background. Every
/// such store deletes a value for good when the enrolled fingers or faces change, and then reads it as `nil`. If the
/// user does not confirm, the value stays (`cancelled`, `notRecognized` or `locked`). On Apple platforms
/// `KeychainBiometricStore` is one.
public protocol BiometricStore: Sendable {
    /// Returns the value of a key, after the user has confirmed; `nil` when there is none, or no longer.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - reason: Displayed to the user, such as "to pay 12,000 won".
    /// - Returns: The value, or `nil`.
    /// - Throws: `locked` when the user does not confirm; `unavailable` when the value cannot be read.
    func read(_ key: StoreKey, because reason: String) async throws(StorageFailure) -> [UInt8]?
    /// Sets the value of a key.
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure)
    /// Removes the value of a key, if there is one.
    func remove(_ key: StoreKey) async throws(StorageFailure)
}

/// A token for an action that the user must confirm: read right before the action, stored apart from the session.
public struct LogiHighAssuranceItem: Sendable {
    private let store: any BiometricStore
    private let key: StoreKey

    /// Makes an item of an app's own; `logi.high_assurance_token` is its name at the vendor.
    public init(of logi: Logi, in store: any BiometricStore) {
        self.store = store
        key = logi.storeKey("high_assurance_token")
    }

    #if canImport(Security)
        /// Makes an item in the keychain of this device, which the user unlocks with their finger or face.
        public init(of logi: Logi) { self.init(of: logi, in: KeychainBiometricStore()) }
    #endif

    /// Keeps a token, in place of the one before.
    ///
    /// - Throws: `configuration` for an empty one, `storage` when it could not be kept; the one before still is.
    public func save(_ token: Secret) async throws(SignInError) {
        guard !token.isEmpty else { throw SignInError(.storage, .configuration("There is nothing to keep.")) }
        do throws(StorageFailure) {
            try await store.write(Array(token.reveal().utf8), for: key)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
    }

    /// Returns the token, after the user has confirmed.
    ///
    /// - Parameter reason: Displayed to the user; it names the action.
    /// - Returns: `nil` when there is none, and when the enrolled fingers or faces have changed: the user must sign in
    ///   again.
    /// - Throws: `storage(cancelled)`, `storage(notRecognized)` or `storage(locked)` when the user did not confirm.
    public func token(because reason: String) async throws(SignInError) -> Secret? {
        guard !reason.isEmpty else {
            throw SignInError(.storage, .configuration("Tell the user what the token is needed for."))
        }
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(key, because: reason)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let bytes else { return nil }
        guard let text = String(utf8: bytes), !text.isEmpty else {
            throw SignInError(.storage, .storage(.corrupted))
        }
        return Secret(text)
    }

    /// Removes the token.
    ///
    /// - Throws: `storage`; it is still there then.
    public func remove() async throws(SignInError) {
        do throws(StorageFailure) { try await store.remove(key) } catch { throw SignInError(.storage, .storage(error)) }
    }
}
