public import Ostiary
import OstiaryCompatibility
public import OstiaryOAuth

extension ImportedSession {
    /// Reads a Keychain item that consists of a refresh token, in UTF-8.
    ///
    /// The Swift SDKs of two vendors store it so. Logto's uses the service `io.logto.client` and the account
    /// `refresh_token`, with the ID token under `id_token` (`LogtoClient+PersistStorage.swift`). LogiAuth's uses the
    /// service `dev.1pass.LogiAuth.<clientId>` and the account `refresh_token` (`LogiAuthStorage.swift`, earlier
    /// `LogiAuth.swift`).
    ///
    /// - Parameters:
    ///   - item: The refresh token's item.
    ///   - idTokenItem: The ID token's, if there is one: its issuer and its subject are compared.
    ///   - issuer: The issuer of both, from the app's configuration.
    ///   - clientID: The client of both, from the app's configuration.
    ///   - scopes: The scopes that the refresh token was granted.
    /// - Throws: `malformed` or `noRefreshToken`.
    public init(
        keychainText item: [UInt8],
        idTokenItem: [UInt8]? = nil,
        issuer: Issuer? = nil,
        clientID: String? = nil,
        scopes: [Scope] = []
    ) throws(SessionImportError) {
        guard item.count <= 65_536, let token = String(utf8: item) else { throw .malformed }
        try self.init(
            refreshToken: token,
            issuer: issuer?.description,
            clientID: clientID,
            scope: nil,
            idToken: idTokenItem.flatMap { String(utf8: $0) }
        )
        self.scopes = scopes
    }
}
