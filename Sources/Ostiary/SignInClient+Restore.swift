public import OstiaryOAuth

extension SignInClient {
    /// Returns the stored session, read at once: for the first screen of an app.
    ///
    /// Nothing is sent.
    ///
    /// - Returns: The session; `nil` for none.
    /// - Throws: `storage` when the session cannot be read, and it is left in place; `unsupported` when the store is
    ///   not an ``ImmediateSecretStore``: call ``restoreSession()`` then.
    public func restoreSessionNow() throws(SignInError) -> Session? {
        guard let store = store as? any ImmediateSecretStore else {
            throw SignInError(.storage, .unsupported("reading without waiting; this store does not"))
        }
        let value: [UInt8]?
        do throws(StorageFailure) {
            value = try store.readNow(storeKey)
        } catch {
            throw SignInError(.storage, .storage(error))
        }
        guard let value else { return nil }
        return try session(stored: StoredSession(value))
    }
}
