public import Ostiary

/// Keeps values that are given out only while the person is there: with their finger or face.
///
/// It is no ``Ostiary/SecretStore`` on purpose: a session in one could not be renewed in the background. What every such
/// store promises: a value is gone for good when the fingers or faces that the device knows change, and is then read as
/// `nil`; a person who does not confirm leaves it as it is (`locked`).
public protocol PersonalStore: Sendable {
    /// The value of a key, after the person has confirmed; `nil` when there is none, or none any more.
    ///
    /// - Parameter reason: Shown to the person, such as "to pay 12,000 won".
    func read(_ key: StoreKey, because reason: String) async throws(StorageFailure) -> [UInt8]?
    /// Sets the value of a key.
    func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure)
    /// Removes the value of a key, if there is one.
    func remove(_ key: StoreKey) async throws(StorageFailure)
}

/// A token for what a person must confirm: read right before the action, kept apart from the session.
public struct LogiHighAssuranceItem: Sendable {
    private let store: any PersonalStore
    private let key: StoreKey

    /// Makes an item of an app's own; `logi.high_assurance_token` is its name at the vendor.
    public init(of logi: Logi, in store: any PersonalStore) {
        self.store = store
        key = logi.storeKey("high_assurance_token")
    }

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

    /// The token, after the person has confirmed.
    ///
    /// - Parameter reason: Shown to the person; it names the action.
    /// - Returns: `nil` when there is none, and when the enrolled fingers or faces have changed: the person has to sign
    ///   in again.
    /// - Throws: `storage(locked)` when the person did not confirm.
    public func token(because reason: String) async throws(SignInError) -> Secret? {
        guard !reason.isEmpty else {
            throw SignInError(.storage, .configuration("Tell the person what the token is needed for."))
        }
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(key, because: reason)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let bytes else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
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
