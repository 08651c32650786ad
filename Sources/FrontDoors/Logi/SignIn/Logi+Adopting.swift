public import Ostiary

extension Logi {
    /// Continues a session that another SDK stored, so that the user need not sign in again.
    ///
    /// The vendor's SDK keeps the refresh token as text in the keychain service `dev.1pass.LogiAuth.<clientId>`, account
    /// `refresh_token`; the document's manual integration keeps it in the service `logi.refresh_token`.
    ///
    /// - Throws: As `SignInClient.adopt(_:)`.
    public func adopt(_ imported: ImportedSession) async throws(SignInError) -> Session {
        try await client.adopt(imported)
    }

    /// Continues a session from its refresh token.
    ///
    /// - Throws: As `SignInClient.adopt(_:)`.
    public func adopt(refreshToken: Secret) async throws(SignInError) -> Session {
        try await client.adopt(refreshToken: refreshToken, scopes: configuration.scopes)
    }
}
