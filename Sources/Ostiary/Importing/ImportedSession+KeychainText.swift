public import OstiaryOAuth

extension ImportedSession {
    /// Reads a Keychain item that is a refresh token and nothing else, in UTF-8.
    ///
    /// So do the Swift SDKs of two vendors keep theirs: Logto's in the service `io.logto.client` under the account
    /// `refresh_token`, and the ID token under `id_token` (`LogtoClient+PersistStorage.swift`); LogiAuth's in the service
    /// `dev.1pass.LogiAuth.<clientId>` under the account `refresh_token` (`LogiAuthStorage.swift`, earlier `LogiAuth.swift`).
    ///
    /// - Parameters:
    ///   - item: The refresh token's item.
    ///   - idTokenItem: The ID token's, if there is one: its issuer and its person are compared.
    ///   - issuer: Who issued them, as the app's configuration has it.
    ///   - clientID: To which client, as the app's configuration has it.
    /// - Throws: `malformed` or `noRefreshToken`.
    public init(
        keychainText item: [UInt8],
        idTokenItem: [UInt8]? = nil,
        issuer: Issuer? = nil,
        clientID: String? = nil,
        scopes: [Scope] = []
    ) throws(SessionImportError) {
        guard item.count <= 65_536, let token = String(validating: item, as: UTF8.self) else { throw .malformed }
        try self.init(
            refreshToken: token,
            issuer: issuer?.description,
            clientID: clientID,
            scope: nil,
            idToken: idTokenItem.flatMap { String(validating: $0, as: UTF8.self) }
        )
        self.scopes = scopes
    }
}
