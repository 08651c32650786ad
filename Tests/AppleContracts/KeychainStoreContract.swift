// What KeychainStore asks of the keychain beyond KeychainContract, stated against the raw API. Runs on the stand-in here, and
// on a Mac on the real keychain, as KeychainContract does.
#if canImport(Security)
    import Foundation
    import Security
    import Testing

    @Suite(.serialized, .enabled(if: KeychainAccess.isOpen)) struct KeychainStoreContract {
        private let keychain = KeychainContract()

        private func add(_ account: String, _ value: Data, _ extra: [String: Any] = [:]) -> OSStatus {
            var item = keychain.query(account, extra)
            item[kSecValueData as String] = value
            return SecItemAdd(item as CFDictionary, nil)
        }

        private func attributes(_ account: String) -> [String: Any]? {
            let query = keychain.query(
                account,
                [kSecReturnAttributes as String: true, kSecReturnData as String: true]
            )
            var result: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
            return result as? [String: Any]
        }

        @Test func updatingAndDeletingWhatIsNotThereSaysSo() {
            let changes = [kSecValueData as String: Data("1".utf8)]
            #expect(SecItemUpdate(keychain.query("a") as CFDictionary, changes as CFDictionary) == errSecItemNotFound)
            #expect(SecItemDelete(keychain.query("a") as CFDictionary) == errSecItemNotFound)
        }

        @Test func anItemKeepsTheKeyThatItWasStoredFor() {
            #expect(add("a", Data("1".utf8), [kSecAttrGeneric as String: Data("key".utf8)]) == errSecSuccess)
            let item = attributes("a")
            #expect(item?[kSecAttrGeneric as String] as? Data == Data("key".utf8))
            #expect(item?[kSecAttrService as String] as? String == keychain.service)
            #expect(SecItemDelete(keychain.query("a") as CFDictionary) == errSecSuccess)
        }

        @Test func anEmptyValueIsKeptOrComesWithoutAValue() {
            #expect(add("a", Data()) == errSecSuccess)
            let item = attributes("a")
            #expect(item != nil)
            let value = item?[kSecValueData as String] as? Data
            #expect(value == nil || value == Data())
            #expect(SecItemDelete(keychain.query("a") as CFDictionary) == errSecSuccess)
        }

        @Test func aValueOf256KibibytesIsKept() {
            let value = Data(repeating: 7, count: 262_144)
            #expect(add("a", value) == errSecSuccess)
            #expect(attributes("a")?[kSecValueData as String] as? Data == value)
            #expect(SecItemDelete(keychain.query("a") as CFDictionary) == errSecSuccess)
        }

        @Test func accountsThatDifferInCaseAreTwo() {
            #expect(add("a", Data("1".utf8)) == errSecSuccess)
            #expect(add("A", Data("2".utf8)) == errSecSuccess)
            #expect(attributes("a")?[kSecValueData as String] as? Data == Data("1".utf8))
            for account in ["a", "A"] {
                #expect(SecItemDelete(keychain.query(account) as CFDictionary) == errSecSuccess)
            }
        }

        @Test func accessibilityIsReadAndChangedInItsPlace() {
            guard keychain.dataProtection else { return }
            let before = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]
            #expect(add("a", Data("1".utf8), before) == errSecSuccess)
            let after = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
            #expect(SecItemUpdate(keychain.query("a") as CFDictionary, after as CFDictionary) == errSecSuccess)
            let found = attributes("a")?[kSecAttrAccessible as String] as? String
            #expect(found == kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String)
            let group = attributes("a")?[kSecAttrAccessGroup as String] as? String
            #expect(group?.isEmpty == false)
            #expect(SecItemDelete(keychain.query("a") as CFDictionary) == errSecSuccess)
        }

        @Test func accessibilityAndAccessControlExcludeEachOther() throws {
            guard keychain.dataProtection else { return }
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, nil)
            )
            let status = add(
                "a",
                Data("1".utf8),
                [
                    kSecAttrAccessControl as String: control,
                    kSecAttrAccessible as String: kSecAttrAccessibleWhenUnlocked,
                ]
            )
            #expect(status == errSecParam)
        }
    }
#endif
