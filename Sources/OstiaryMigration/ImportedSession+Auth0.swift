public import Ostiary

extension ImportedSession {
    /// Reads the keyed archive of `Credentials` that Auth0.swift's `CredentialsManager` keeps in the Keychain.
    ///
    /// (Auth0.swift, `CredentialsManager.swift` archives `Credentials`, whose class is named `A0Credentials`; its
    /// `encode(with:)` in `Credentials.swift` writes `accessToken`, `tokenType`, `idToken`, `refreshToken`, `expiresIn`
    /// and `scope`.) The archive does not name the client; its ID token names the issuer.
    ///
    /// - Parameter archive: At most 1 MiB.
    /// - Throws: `malformed` or `noRefreshToken`.
    public init(auth0CredentialsArchive archive: [UInt8]) throws(SessionImportError) {
        guard let credentials = KeyedArchive(archive)?.root,
            credentials["accessToken"] != nil || credentials["idToken"] != nil
        else { throw .malformed }
        try self.init(
            refreshToken: credentials["refreshToken"]?.string,
            issuer: nil,
            clientID: nil,
            scope: credentials["scope"]?.string,
            idToken: credentials["idToken"]?.string
        )
    }
}
