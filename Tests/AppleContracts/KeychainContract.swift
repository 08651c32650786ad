// The keychain semantics the SDK relies on, stated against the raw API. Runs on the stand-in here; on a Mac it runs on
// the real keychain (the data protection one needs a host app, Tests/AppleHost: KEYCHAIN_CONTRACT=data-protection).
#if canImport(Security)
    import Foundation
    import Security
    import Testing

    /// In a simulator without a signed host app every call is refused (−34018).
    enum KeychainAccess {
        static let isOpen: Bool = {
            let probe = KeychainContract().query("probe")
            return SecItemCopyMatching(probe as CFDictionary, nil) == errSecItemNotFound
        }()
    }

    /// A host app that is said to have a keychain has one: otherwise the suites below would be left out unnoticed.
    @Suite(.enabled(if: ProcessInfo.processInfo.environment["KEYCHAIN_CONTRACT"] == "data-protection"))
    struct HostAppContract {
        @Test func theKeychainIsOpen() { #expect(KeychainAccess.isOpen) }

        #if canImport(AppKit) && !canImport(UIKit)
            @Test func bothKeychainsOfAMacAreOpen() { #expect(BothKeychains.areOpen) }
        #endif
    }

    @Suite(.serialized, .enabled(if: KeychainAccess.isOpen)) struct KeychainContract {
        let service = "contract-\(UUID().uuidString)"
        let dataProtection: Bool = {
            #if os(macOS)
                ProcessInfo.processInfo.environment["KEYCHAIN_CONTRACT"] == "data-protection"
            #else
                true
            #endif
        }()

        func query(_ account: String, _ extra: [String: Any] = [:]) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: account,
            ]
            // Without a word about it a Mac's query is about both keychains.
            query[kSecUseDataProtectionKeychain as String] = dataProtection
            return query.merging(extra) { $1 }
        }

        @Test func addReadUpdateDelete() {
            let add = query("a", [kSecValueData as String: Data("1".utf8)])
            #expect(SecItemAdd(add as CFDictionary, nil) == errSecSuccess)
            #expect(SecItemAdd(add as CFDictionary, nil) == errSecDuplicateItem)

            var result: CFTypeRef?
            #expect(
                SecItemCopyMatching(query("a", [kSecReturnData as String: true]) as CFDictionary, &result)
                    == errSecSuccess
            )
            #expect(result as? Data == Data("1".utf8))

            let change: [String: Any] = [kSecValueData as String: Data("2".utf8)]
            #expect(SecItemUpdate(query("a") as CFDictionary, change as CFDictionary) == errSecSuccess)
            #expect(SecItemUpdate(query("absent") as CFDictionary, change as CFDictionary) == errSecItemNotFound)

            var both: CFTypeRef?
            let attributes = query("a", [kSecReturnData as String: true, kSecReturnAttributes as String: true])
            #expect(SecItemCopyMatching(attributes as CFDictionary, &both) == errSecSuccess)
            let item = both as? [String: Any]
            #expect(item?[kSecAttrAccount as String] as? String == "a")
            #expect(item?[kSecValueData as String] as? Data == Data("2".utf8))

            #expect(SecItemDelete(query("a") as CFDictionary) == errSecSuccess)
            #expect(SecItemDelete(query("a") as CFDictionary) == errSecItemNotFound)
            var gone: CFTypeRef?
            #expect(
                SecItemCopyMatching(query("a", [kSecReturnData as String: true]) as CFDictionary, &gone)
                    == errSecItemNotFound
            )
            #expect(gone == nil)
        }

        @Test func accountsAreSeparateAndCanBeListed() {
            for account in ["a", "b"] {
                let item = query(account, [kSecValueData as String: Data(account.utf8)])
                #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            }
            var all = query("", [kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll])
            all[kSecAttrAccount as String] = nil
            var result: CFTypeRef?
            #expect(SecItemCopyMatching(all as CFDictionary, &result) == errSecSuccess)
            let accounts = (result as? [[String: Any]])?.compactMap { $0[kSecAttrAccount as String] as? String }
            #expect(accounts?.sorted() == ["a", "b"])
            for account in ["a", "b"] { #expect(SecItemDelete(query(account) as CFDictionary) == errSecSuccess) }
        }

        @Test func existenceCheckWithoutReturningAnything() {
            #expect(SecItemCopyMatching(query("nobody") as CFDictionary, nil) == errSecItemNotFound)
        }
    }
#endif
