import Foundation
import LocalAuthentication
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

/// The stand-in behaves as the keychain's published source does, so that no test below rests on a wish.
/// (Platform/Facts/Security.md)
extension OnTheDevice.Keychain {
    @Suite("The keychain that stands in for Apple's") struct StandIn {
        init() async { await freshDevice() }

        private static let control = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
            .biometryCurrentSet,
            nil
        )

        private func query(_ account: String? = nil, _ extra: [String: Any] = [:]) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: "ostiary",
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let account { query[kSecAttrAccount as String] = account }
            return query.merging(extra) { $1 }
        }

        private func add(_ account: String, _ extra: [String: Any] = [:]) -> OSStatus {
            let item = query(account, [kSecValueData as String: Data(account.utf8)]).merging(extra) { $1 }
            return SecItemAdd(item as CFDictionary, nil)
        }

        private func addGuarded(_ account: String) -> OSStatus {
            add(account, [kSecAttrAccessControl as String: Self.control as Any])
        }

        private func list(_ extra: [String: Any] = [:]) -> (OSStatus, [String]) {
            let all: [String: Any] = [
                kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
            ]
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query(nil, all).merging(extra) { $1 } as CFDictionary, &result)
            let items = result as? [[String: Any]] ?? []
            return (status, items.compactMap { $0[kSecAttrAccount as String] as? String })
        }

        private var silent: [String: Any] {
            let context = LAContext()
            context.interactionNotAllowed = true
            return [kSecUseAuthenticationContext as String: context]
        }

        private let skipping: [String: Any] = [
            kSecUseAuthenticationUI as String: kSecUseAuthenticationUISkip
        ]

        @Test("A query that a guarded item matches asks the user, whatever it returns")
        func asksForAttributes() {
            #expect(add("plain") == errSecSuccess)
            #expect(addGuarded("guarded") == errSecSuccess)
            #expect(list() == (errSecSuccess, ["plain", "guarded"]))
            #expect(SecItemCopyMatching(query("guarded") as CFDictionary, nil) == errSecSuccess)
            #expect(device.snapshot.prompts.count == 2)
            #expect(SecItemCopyMatching(query("plain") as CFDictionary, nil) == errSecSuccess)
            #expect(device.snapshot.prompts.count == 2)
        }

        @Test("A context without interaction denies access to a guarded item that matches, and finds it")
        func silence() {
            #expect(addGuarded("guarded") == errSecSuccess)
            #expect(list(silent).0 == errSecInteractionNotAllowed)
            let known = query("guarded", silent)
            #expect(SecItemCopyMatching(known as CFDictionary, nil) == errSecInteractionNotAllowed)
            #expect(SecItemCopyMatching(query("absent", silent) as CFDictionary, nil) == errSecItemNotFound)
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("Guarded items are left out where the query says so, which only a search may")
        func skips() {
            #expect(add("plain") == errSecSuccess)
            #expect(addGuarded("guarded") == errSecSuccess)
            #expect(list(skipping) == (errSecSuccess, ["plain"]))
            #expect(SecItemCopyMatching(query("guarded", skipping) as CFDictionary, nil) == errSecItemNotFound)
            #expect(SecItemDelete(query("guarded", skipping) as CFDictionary) == errSecParam)
            let changes = [kSecValueData as String: Data()]
            #expect(SecItemUpdate(query("plain", skipping) as CFDictionary, changes as CFDictionary) == errSecParam)
            #expect(add("another", skipping) == errSecParam)
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("A guarded item is deleted without asking, and changed with the user's consent")
        func deletes() {
            #expect(addGuarded("guarded") == errSecSuccess)
            device.with { $0.promptAnswers = [.cancel] }
            let changes = [kSecValueData as String: Data()] as CFDictionary
            #expect(SecItemUpdate(query("guarded") as CFDictionary, changes) == errSecUserCanceled)
            #expect(SecItemDelete(query("guarded") as CFDictionary) == errSecSuccess)
            #expect(device.snapshot.prompts.count == 1)
        }

        @Test("The attributes of a sealed item are sealed, and one such item ends a query of many")
        func sealedAttributes() {
            let later = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
            #expect(add("open", later) == errSecSuccess)
            device.lockScreen()
            #expect(list() == (errSecSuccess, ["open"]))
            device.unlockScreen()
            #expect(add("sealed") == errSecSuccess)
            #expect(addGuarded("guarded") == errSecSuccess)
            device.lockScreen()
            #expect(list().0 == errSecInteractionNotAllowed)
            #expect(list(skipping).0 == errSecInteractionNotAllowed)
            let attributes = query("sealed", [kSecReturnAttributes as String: true])
            #expect(SecItemCopyMatching(attributes as CFDictionary, nil) == errSecInteractionNotAllowed)
            #expect(SecItemCopyMatching(query("open") as CFDictionary, nil) == errSecSuccess)
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("Without a passcode the stand-in keychain rejects an item that needs one with errSecAuthFailed")
        func noPasscode() {
            device.removePasscode()
            let needsPasscode = [kSecAttrAccessible as String: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly]
            #expect(add("a", needsPasscode) == errSecAuthFailed)
            #expect(addGuarded("b") == errSecAuthFailed)
            #expect(add("c") == errSecSuccess)
            #expect(device.keychainItemCount == 1)
        }

        #if canImport(AppKit)
            private func onKeychain(_ isModern: Bool?, _ extra: [String: Any] = [:]) -> CFDictionary {
                var query = query("one", extra)
                query[kSecUseDataProtectionKeychain as String] = isModern
                return query as CFDictionary
            }

            private func addToBoth() {
                for isModern in [true, false] {
                    let value = [kSecValueData as String: Data("\(isModern)".utf8)]
                    #expect(SecItemAdd(onKeychain(isModern, value), nil) == errSecSuccess)
                }
                #expect(device.keychainItems().map(\.fileBased) == [false, true])
            }

            @Test("A deletion that does not say which keychain it is about deletes in both", arguments: [true, false])
            func deletesInBoth(isEntitled: Bool) {
                addToBoth()
                device.with { $0.app.hasDataProtectionKeychain = isEntitled }
                #expect(SecItemDelete(onKeychain(nil)) == errSecSuccess)
                #expect(device.keychainItems().map(\.fileBased) == (isEntitled ? [] : [false]))
            }

            @Test("A deletion is about the keychain that it names, by true or by false", arguments: [true, false])
            func deletesInOne(isModern: Bool) {
                addToBoth()
                #expect(SecItemDelete(onKeychain(isModern)) == errSecSuccess)
                #expect(device.keychainItems().map(\.fileBased) == [isModern])
                #expect(SecItemDelete(onKeychain(isModern)) == errSecItemNotFound)
            }

            @Test("A search or a change that names no keychain is about both, and an addition about the file")
            func both() {
                addToBoth()
                let all: [String: Any] = [
                    kSecReturnAttributes as String: true, kSecMatchLimit as String: kSecMatchLimitAll,
                ]
                var found: CFTypeRef?
                #expect(SecItemCopyMatching(onKeychain(nil, all), &found) == errSecSuccess)
                #expect((found as? [[String: Any]])?.count == 2)
                let changes = [kSecValueData as String: Data("changed".utf8)] as CFDictionary
                #expect(SecItemUpdate(onKeychain(nil), changes) == errSecSuccess)
                #expect(device.keychainItems().allSatisfy { $0.data == Data("changed".utf8) })
                #expect(SecItemDelete(onKeychain(nil)) == errSecSuccess)
                #expect(SecItemAdd(onKeychain(nil, [kSecValueData as String: Data()]), nil) == errSecSuccess)
                #expect(device.keychainItems().map(\.fileBased) == [true])
            }
        #endif
    }
}
