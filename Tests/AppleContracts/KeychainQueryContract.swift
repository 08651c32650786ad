// What a query of the keychain is about, and whom it asks, stated against the raw API. Runs on the stand-in here. On a Mac it
// needs a signed host app with the entitlement, and there and on a phone a passcode: KEYCHAIN_CONTRACT=data-protection.
#if canImport(Security)
    import Foundation
    import Security
    import Testing

    #if canImport(AppKit) && !canImport(UIKit)
        /// Whether this process has both keychains of a Mac.
        enum BothKeychains {
            static let areOpen: Bool = {
                let keychain = KeychainContract()
                let modern = keychain.query("probe", [kSecUseDataProtectionKeychain as String: true])
                let item = modern.merging([kSecValueData as String: Data([1])]) { $1 }
                guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else { return false }
                defer { _ = SecItemDelete(modern as CFDictionary) }
                let file = keychain.query("probe", [kSecUseDataProtectionKeychain as String: false])
                return SecItemCopyMatching(file as CFDictionary, nil) == errSecItemNotFound
            }()
        }

        @Suite(.serialized, .enabled(if: BothKeychains.areOpen)) struct KeychainTargetContract {
            private let keychain = KeychainContract()

            private func query(_ isModern: Bool?, _ extra: [String: Any] = [:]) -> CFDictionary {
                var query = keychain.query("one", extra)
                query[kSecUseDataProtectionKeychain as String] = isModern
                return query as CFDictionary
            }

            private func addToBoth() {
                for isModern in [true, false] {
                    let value = [kSecValueData as String: Data([1])]
                    #expect(SecItemAdd(query(isModern, value), nil) == errSecSuccess)
                }
            }

            @Test func aDeletionThatNamesNoKeychainDeletesInBoth() {
                addToBoth()
                #expect(SecItemDelete(query(nil)) == errSecSuccess)
                #expect(SecItemCopyMatching(query(true), nil) == errSecItemNotFound)
                #expect(SecItemCopyMatching(query(false), nil) == errSecItemNotFound)
            }

            @Test(arguments: [true, false]) func aDeletionDeletesInTheKeychainThatItNames(isModern: Bool) {
                addToBoth()
                #expect(SecItemDelete(query(isModern)) == errSecSuccess)
                #expect(SecItemCopyMatching(query(isModern), nil) == errSecItemNotFound)
                #expect(SecItemCopyMatching(query(!isModern), nil) == errSecSuccess)
                #expect(SecItemDelete(query(!isModern)) == errSecSuccess)
            }
        }
    #endif

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication

        @Suite(.serialized, .enabled(if: KeychainAccess.isOpen && KeychainContract().dataProtection))
        struct GuardedItemContract {
            private let keychain = KeychainContract()

            /// Adds an item that is open and one that a user guards; `false` on a device without a passcode.
            private func addBoth() throws -> Bool {
                let control = try #require(
                    SecAccessControlCreateWithFlags(
                        nil,
                        kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                        .userPresence,
                        nil
                    )
                )
                let extra: [String: Any] = [
                    kSecValueData as String: Data([1]), kSecAttrAccessControl as String: control,
                ]
                let status = SecItemAdd(keychain.query("guarded", extra) as CFDictionary, nil)
                guard status == errSecSuccess else {
                    #expect(status == errSecAuthFailed)
                    return false
                }
                let open = keychain.query("open", [kSecValueData as String: Data([1])])
                #expect(SecItemAdd(open as CFDictionary, nil) == errSecSuccess)
                return true
            }

            private func removeBoth() {
                // Deleting asks no user.
                for account in ["guarded", "open"] {
                    #expect(SecItemDelete(keychain.query(account) as CFDictionary) == errSecSuccess)
                }
            }

            private var silent: [String: Any] {
                let context = LAContext()
                context.interactionNotAllowed = true
                return [kSecUseAuthenticationContext as String: context]
            }

            private func list(_ extra: [String: Any]) -> (OSStatus, [String]) {
                var query = keychain.query("", silent.merging(extra) { $1 })
                query[kSecAttrAccount as String] = nil
                query[kSecReturnAttributes as String] = true
                query[kSecMatchLimit as String] = kSecMatchLimitAll
                var result: CFTypeRef?
                let status = SecItemCopyMatching(query as CFDictionary, &result)
                let items = result as? [[String: Any]] ?? []
                return (status, items.compactMap { $0[kSecAttrAccount as String] as? String })
            }

            @Test func aListThatSkipsGuardedItemsIsNotRefused() throws {
                guard try addBoth() else { return }
                defer { removeBoth() }
                let (status, accounts) = list([kSecUseAuthenticationUI as String: kSecUseAuthenticationUISkip])
                #expect(status != errSecInteractionNotAllowed)
                #expect(status == errSecSuccess)
                // A simulator enforces no access control.
                #if !targetEnvironment(simulator)
                    #expect(accounts == ["open"])
                #endif
            }

            #if !targetEnvironment(simulator)
                @Test func aListOfAttributesIsRefusedForAGuardedItem() throws {
                    guard try addBoth() else { return }
                    defer { removeBoth() }
                    #expect(list([:]).0 == errSecInteractionNotAllowed)
                }

                @Test func aGuardedItemIsFoundBeforeItIsRefused() throws {
                    guard try addBoth() else { return }
                    defer { removeBoth() }
                    let known = keychain.query("guarded", silent) as CFDictionary
                    #expect(SecItemCopyMatching(known, nil) == errSecInteractionNotAllowed)
                    let absent = keychain.query("absent", silent) as CFDictionary
                    #expect(SecItemCopyMatching(absent, nil) == errSecItemNotFound)
                }
            #endif
        }
    #endif
#endif
