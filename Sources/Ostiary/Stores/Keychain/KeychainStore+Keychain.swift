#if canImport(Security)
    import Security

    extension KeychainStore {
        /// The kinds of keychains.
        public enum Keychain: String, Sendable, Hashable {
            /// The data protection keychain, the app's own and sealed with the device; the only one except on a Mac.
            case dataProtection
            /// The login keychain of a Mac's user, a file without access groups, accessibility or checks of the user.
            case login
        }

        /// The choice between a Mac's two keychains.
        public enum KeychainChoice: Sendable, Hashable {
            /// The data protection keychain if the app's signature allows it, otherwise the login keychain.
            ///
            /// Only a provisioning profile grants the entitlement, so a bare tool and an app without a profile lack it.
            /// Values that an earlier version kept in the login keychain are moved when they are read.
            case automatic
            /// The given keychain.
            case always(Keychain)
        }
    }

    extension KeychainStore.Configuration {
        /// Returns the keychain that the choice resolves to, for this app's signature.
        func resolvedKeychain() -> KeychainStore.Keychain {
            #if canImport(AppKit) && !canImport(UIKit)
                switch keychain {
                case .always(let keychain): return keychain
                case .automatic:
                    let place = KeychainPlace(service: service, accessGroup: nil, keychain: .dataProtection)
                    do throws(KeychainError) {
                        // No item has this account: the keychain checks the permission before it searches.
                        _ = try place.sight(of: KeychainAccount.canary)
                        return .dataProtection
                    } catch {
                        // Any other failure, such as a locked Mac, comes from a keychain that the app may use.
                        return error.status == errSecMissingEntitlement ? .login : .dataProtection
                    }
                }
            #else
                return .dataProtection
            #endif
        }
    }
#endif
