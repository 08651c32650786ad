#if canImport(Security)
    import Security

    extension KeychainStore {
        /// The place of a store's items, and the conditions for opening them.
        public struct Configuration: Sendable {
            /// The items' service (`kSecAttrService`), which with a key identifies an item and must not change.
            ///
            /// Default `ostiary`. A command-line tool sets its own, since all of a user's tools share the login
            /// keychain.
            public var service = "ostiary"
            /// The apps that share the items.
            public var accessGroup = AccessGroup.app
            /// The device states in which the items can be opened.
            public var accessibility = Accessibility.afterFirstUnlock
            /// The choice between a Mac's two keychains; other systems have only one.
            public var keychain = KeychainChoice.automatic
            /// The check that the user has to pass, besides unlocking the device; `nil` for no check.
            public var userCheck: UserCheck?
            /// The treatment of items that an earlier installation of the app left.
            public var reinstallation = ReinstallationPolicy.keep
            /// Places that may still hold values, the likeliest first; a value is moved when it is read.
            public var movingFrom: [Origin] = []
            /// The proof that a missing item is not merely sealed.
            public var protectedData = ProtectedData.proved

            /// The defaults: the app's own items, on this device only, from the first unlock after a restart.
            public init() {}
        }

        /// The apps that share the items of a store.
        public enum AccessGroup: Sendable, Hashable {
            /// The app alone: its first keychain access group.
            case app
            /// Every app with this keychain access group, whose name begins with the team's prefix.
            ///
            /// An app that moves to another team loses the items; with an app group it keeps them.
            case keychainGroup(String)
            /// Every app of this app group, such as `group.com.example.app`; not for a Mac's keychain.
            ///
            /// Its name has no team prefix, so the items outlive the transfer of an app.
            case appGroup(String)

            var name: String? {
                switch self {
                case .app: nil
                case .keychainGroup(let name), .appGroup(let name): name
                }
            }
        }

        /// The device states in which items can be opened; items never leave the device, not even in a backup.
        public enum Accessibility: Sendable, Hashable {
            /// From the first unlock after a restart, also in the background (`AfterFirstUnlockThisDeviceOnly`).
            case afterFirstUnlock
            /// While the device is unlocked (`WhenUnlockedThisDeviceOnly`).
            case whenUnlocked
            /// While the device is unlocked; the items are lost when its passcode is turned off
            /// (`WhenPasscodeSetThisDeviceOnly`).
            case whenPasscodeSet

            var constant: CFString {
                switch self {
                case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                case .whenUnlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
                case .whenPasscodeSet: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
                }
            }
        }

        /// The proof that an item does not exist, and is not merely sealed.
        ///
        /// Before the first unlock after a restart, and when the system launches an app ahead of time, keychains have
        /// been seen to report "not found" for existing items. An app that believes it signs its user out.
        public struct ProtectedData: Sendable {
            let isAvailable: (@Sendable () -> Bool)?

            /// The keychain first has to open, or add, an item of the same accessibility.
            public static let proved = ProtectedData(isAvailable: nil)

            /// The app knows it, for example from the last value of `UIApplication.isProtectedDataAvailable`.
            public static func known(by isAvailable: @escaping @Sendable () -> Bool) -> ProtectedData {
                ProtectedData(isAvailable: isAvailable)
            }
        }
    }

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
                        _ = try place.sight(of: KeychainAccount.probe)
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
