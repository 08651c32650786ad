#if canImport(Security)
    public import OstiaryOAuth

    extension KeychainStore {
        /// Where a value may still be that an earlier version of the app, or another library, stored.
        ///
        /// It is moved when it is first read: read there, written here, read back, and only then removed there. Whatever
        /// interrupts that, it is in one of the two places. Signing out removes it from both.
        public struct Origin: Sendable {
            /// Makes of what was found what a store keeps; `nil` when it is not a value of this key.
            public typealias Conversion = @Sendable ([UInt8]) throws(StorageFailure) -> [UInt8]?

            let service: String
            let accessGroup: AccessGroup
            let keychain: Keychain
            let item: (key: StoreKey, account: String)?
            let conversion: Conversion

            /// Every value of another store of this library's: with another service, access group or keychain.
            ///
            /// It is what moves items from a group with a team's prefix to an app group, or back.
            public static func store(
                service: String = "ostiary",
                accessGroup: AccessGroup = .app,
                keychain: Keychain = .dataProtection
            ) -> Origin {
                Origin(service: service, accessGroup: accessGroup, keychain: keychain, item: nil) { $0 }
            }

            /// One item that was written by something else.
            ///
            /// - Parameters:
            ///   - account: Its `kSecAttrAccount`.
            ///   - service: Its `kSecAttrService`.
            ///   - accessGroup: Whose it is.
            ///   - keychain: Which keychain of a Mac it is in.
            ///   - key: What it is the value of.
            ///   - conversion: Makes of its octets what the store keeps. Default: the same octets.
            public static func item(
                account: String,
                service: String,
                accessGroup: AccessGroup = .app,
                keychain: Keychain = .dataProtection,
                for key: StoreKey,
                conversion: @escaping Conversion = { $0 }
            ) -> Origin {
                Origin(
                    service: service,
                    accessGroup: accessGroup,
                    keychain: keychain,
                    item: (key, account),
                    conversion: conversion
                )
            }

            private init(
                service: String,
                accessGroup: AccessGroup,
                keychain: Keychain,
                item: (StoreKey, String)?,
                conversion: @escaping Conversion
            ) {
                self.service = service
                self.accessGroup = accessGroup
                self.keychain = keychain
                self.item = item
                self.conversion = conversion
            }

            var place: KeychainPlace {
                KeychainPlace(service: service, accessGroup: accessGroup.name, keychain: keychain)
            }

            /// The account under which a key's value would be there; `nil` when it cannot be there.
            func account(of key: StoreKey) -> String? {
                guard let item else { return KeychainAccount(of: key).name }
                return item.key == key ? item.account : nil
            }
        }
    }
#endif
