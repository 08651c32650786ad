#if canImport(Security)
    import AppleWorld
    import Foundation
    import Ostiary
    import Security
    import Testing

    /// A keychain of this process, with items that no other process has.
    struct KeychainInUse: Sendable {
        /// Whether there is one: in a simulator, a test without a host app is refused every call (−34018).
        static let isOpen: Bool = {
            let keychain = KeychainInUse()
            let item = keychain.query("probe").merging([kSecValueData as String: Data([1])]) { $1 }
            defer { _ = SecItemDelete(keychain.query("probe") as CFDictionary) }
            return SecItemAdd(item as CFDictionary, nil) == errSecSuccess
        }()

        let service = "test-\(UUID().uuidString)"

        /// A store of these items.
        func store(_ change: (inout KeychainStore.Configuration) -> Void = { _ in }) -> KeychainStore {
            var configuration = KeychainStore.Configuration()
            configuration.service = service
            change(&configuration)
            return KeychainStore(configuration)
        }

        /// Adds an item as another library would.
        func add(_ account: String, service: String, _ value: [UInt8]) throws {
            let item = query(account, service: service).merging([kSecValueData as String: Data(value)]) { $1 }
            try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        }

        /// The keychain's attributes of an item.
        func attributes(_ account: String, service: String? = nil) -> [String: Any]? {
            var query = query(account, service: service)
            query[kSecReturnAttributes as String] = true
            query[kSecReturnData as String] = true
            var found: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
            return found as? [String: Any]
        }

        private func query(_ account: String, service: String? = nil) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service ?? self.service,
                kSecAttrAccount as String: account,
            ]
            // Without a word about it a Mac's query is about both keychains.
            query[kSecUseDataProtectionKeychain as String] = KeychainStore().keychain == .dataProtection
            return query
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Enables a test where the process has a keychain: everywhere but in a simulator without a host app.
        static var withKeychain: ConditionTrait { .enabled(if: KeychainInUse.isOpen) }
    }
#endif
