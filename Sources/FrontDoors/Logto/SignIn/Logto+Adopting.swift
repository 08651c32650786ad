public import Ostiary
public import OstiaryOAuth

extension Logto {
    /// Continues the session that Logto's own SDK kept in the keychain, so that the user need not sign in again.
    ///
    /// Call it where the app starts, in place of ``restoreSession()``. A session that is stored here is returned.
    /// Otherwise one refresh is made with the SDK's refresh token, and its response passes every check of a refresh.
    /// The SDK's items are removed when that has succeeded, or when Logto has ended the session. Items of another
    /// tenant or app are left alone, and so are all items where the configuration stores nothing.
    ///
    /// - Returns: The session; `nil` when there is none. On a platform without a keychain, the stored session.
    /// - Throws: As ``restoreSession()``, and the errors of a refresh: nothing is lost then, and the next call
    ///   continues.
    public func adoptFromKeychain() async throws(SignInError) -> LogtoSession? {
        let items = LogtoKeychainItems(of: config)
        guard let imported = items.session else { return try await restoreSession() }
        let session: LogtoSession
        do throws(SignInError) {
            session = try await adopt(imported)
        } catch {
            guard error.endsSession else { throw error }
            items.remove()
            return nil
        }
        items.remove()
        return session
    }

    /// Continues a session that another SDK stored, so that the user need not sign in again.
    ///
    ///     let imported = try ImportedSession(keychainText: refreshTokenItem, idTokenItem: idTokenItem)
    ///     let session = try await logto.adopt(imported)
    ///
    /// Remove the other SDK's items after this returns; ``adoptFromKeychain()`` does all of it for Logto's own. A
    /// session that is stored already is returned, so an app may call this at every start.
    ///
    /// - Throws: As `SignInClient.adopt(_:)`.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) -> LogtoSession {
        LogtoSession(try await client.adopt(imported), config)
    }

    /// Whether Logto's own SDK has kept a session of this tenant and app.
    var hasEarlierSession: Bool { LogtoKeychainItems(of: config).session != nil }

    /// Removes what Logto's own SDK kept, once another session is stored: signing out would otherwise bring it back.
    func forgetEarlierSession() { LogtoKeychainItems(of: config).remove() }
}
