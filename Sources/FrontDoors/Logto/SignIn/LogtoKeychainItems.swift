import Ostiary
import OstiaryMigration

#if canImport(Security)
    import Foundation
    import Security
#endif

/// The keychain items in which Logto's own SDK keeps a session: generic passwords of one service, named by their
/// account, as text.
///
/// They are not named after the tenant or the app, so they count only where the ID token among them is of this tenant
/// and app. (`LogtoClient+PersistStorage.swift` of Logto's SDK, versions 1.2.0 and 2.0.0-beta.1, over KeychainAccess)
struct LogtoKeychainItems: Sendable {
    private let config: LogtoConfig

    /// The items of an app; none where its configuration stores nothing.
    init(of config: LogtoConfig) { self.config = config }

    /// The session; `nil` unless both tokens are there and the ID token is of this tenant and app.
    var session: ImportedSession? {
        guard config.usingPersistStorage, let refreshToken = text("refresh_token"), let idToken = text("id_token"),
            let claims = try? LogtoUtilities.decodeIdToken(idToken),
            claims.iss.utf8.elementsEqual(config.issuer.utf8), claims.audience.contains(config.appId)
        else { return nil }
        return try? ImportedSession(
            keychainText: Array(refreshToken.utf8),
            idTokenItem: Array(idToken.utf8),
            clientID: config.appId
        )
    }

    /// Removes the items, if they are of this tenant and app.
    func remove() {
        guard session != nil else { return }
        for account in ["refresh_token", "id_token", "access_token_map"] { delete(account) }
    }

    #if canImport(Security)
        private func query(_ account: String) -> [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: "io.logto.client",
                kSecAttrAccount as String: account,
            ]
        }

        private func text(_ account: String) -> String? {
            var query = query(account)
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var item: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess, let data = item as? Data,
                (1...65_536).contains(data.count)
            else { return nil }
            return String(data: data, encoding: .utf8)
        }

        private func delete(_ account: String) { _ = SecItemDelete(query(account) as CFDictionary) }
    #else
        private func text(_ account: String) -> String? { nil }
        private func delete(_ account: String) {}
    #endif
}
