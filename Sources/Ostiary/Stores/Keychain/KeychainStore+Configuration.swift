#if canImport(Security)
    import Security

    extension KeychainStore {
        /// Where a store keeps its items, and who can open them.
        public struct Configuration: Sendable {
            /// The items' service (`kSecAttrService`): together with a key it finds an item again, so it does not change.
            ///
            /// Default `ostiary`. A command-line tool gives its own, since all of a user's tools share the login keychain.
            public var service = "ostiary"
            /// Who shares the items.
            public var accessGroup = AccessGroup.app
            /// When they can be opened.
            public var accessibility = Accessibility.afterFirstUnlock
            /// Which of a Mac's keychains; there is one everywhere else.
            public var keychain = KeychainChoice.automatic
            /// Who has to unlock them, besides the device; `nil` for nobody.
            public var personCheck: PersonCheck?
            /// What becomes of items that an earlier installation of the app left.
            public var reinstallation = ReinstallationPolicy.keep
            /// Where items may still be, the likeliest first; they are moved when they are read.
            public var movingFrom: [Origin] = []
            /// How it is known that what is not there is not only sealed.
            public var protectedData = ProtectedData.proved

            /// The defaults: the app's own items on this device only, from the first unlock after a restart on.
            public init() {}
        }

        /// Who shares the items of a store.
        public enum AccessGroup: Sendable, Hashable {
            /// The app alone: its first keychain access group.
            case app
            /// Every app with this keychain access group, which begins with the team's prefix.
            ///
            /// An app that moves to another team loses them; an app group stays.
            case keychainGroup(String)
            /// Every app of this app group, such as `group.com.example.app`; not for a Mac's keychain.
            ///
            /// Its name has no prefix of a team, so items outlive the transfer of an app.
            case appGroup(String)

            var name: String? {
                switch self {
                case .app: nil
                case .keychainGroup(let name), .appGroup(let name): name
                }
            }
        }

        /// When items can be opened; they never leave the device, not even in a backup.
        public enum Accessibility: Sendable, Hashable {
            /// From the first unlock after a restart on, in the background, too (`AfterFirstUnlockThisDeviceOnly`).
            case afterFirstUnlock
            /// While the device is unlocked (`WhenUnlockedThisDeviceOnly`).
            case whenUnlocked
            /// While the device is unlocked, and gone for good when its passcode is switched off
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

        /// How it is known that an item is not there, and not only sealed.
        ///
        /// Before the first unlock after a restart, and when the system starts an app ahead of time, a keychain was seen to
        /// answer "not found" for what is there. An app that believes it signs its user out.
        public struct ProtectedData: Sendable {
            let isAvailable: (@Sendable () -> Bool)?

            /// The keychain has to open, or to add, an item of the same accessibility first.
            public static let proved = ProtectedData(isAvailable: nil)

            /// The app says so, for example by what it last heard of `UIApplication.isProtectedDataAvailable`.
            public static func known(by isAvailable: @escaping @Sendable () -> Bool) -> ProtectedData {
                ProtectedData(isAvailable: isAvailable)
            }
        }
    }
#endif
