#if canImport(Security)
    import Security

    extension KeychainStore {
        /// The kinds of keychain that there are.
        public enum Keychain: String, Sendable, Hashable {
            /// The data protection keychain: of the app's own, sealed with the device. The only one but on a Mac.
            case dataProtection
            /// The login keychain of a Mac's user, a file: no access groups, no accessibility, no person check.
            case login
        }

        /// Which keychain of a Mac a store is in.
        public enum KeychainChoice: Sendable, Hashable {
            /// The data protection keychain, if the app's signature allows it, and otherwise the login keychain.
            ///
            /// Only a provisioning profile grants the entitlement, so a bare tool and an app without a profile do not have
            /// it. What an earlier version kept in the login keychain is moved when it is read.
            case automatic
            /// This one.
            case always(Keychain)
        }
    }

    extension KeychainStore.Configuration {
        /// Which keychain it comes down to, for this signature.
        func resolvedKeychain() -> KeychainStore.Keychain {
            #if canImport(AppKit) && !canImport(UIKit)
                switch keychain {
                case .always(let keychain): return keychain
                case .automatic:
                    let place = KeychainPlace(service: service, accessGroup: nil, keychain: .dataProtection)
                    do throws(KeychainError) {
                        // No item has this account: whether the keychain may be used is said before it is looked for.
                        _ = try place.sight(of: KeychainAccount.canary)
                        return .dataProtection
                    } catch {
                        // Any other failure, such as a locked Mac, is one of a keychain that the app may use.
                        return error.status == errSecMissingEntitlement ? .login : .dataProtection
                    }
                }
            #else
                return .dataProtection
            #endif
        }
    }
#endif
