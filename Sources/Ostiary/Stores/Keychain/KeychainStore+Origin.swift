#if canImport(Security)
    public import OstiaryOAuth

    extension KeychainStore {
        /// A place that may still hold a value that an earlier version of the app, or another library, stored.
        ///
        /// The value is moved when it is first read: read there, written here, read back, and only then removed there.
        /// After an interruption it is in at least one of the two places. Signing out removes it from both.
        public struct Origin: Sendable {
            /// Converts the bytes that were found to a value of the store; `nil` when they hold no value of this key.
            public typealias Conversion = @Sendable ([UInt8]) throws(StorageFailure) -> [UInt8]?

            let service: String
            let accessGroup: AccessGroup
            let keychain: Keychain
            let item: (key: StoreKey, account: String)?
            let conversion: Conversion

            /// Every value of another store of this library: with another service, access group or keychain.
            ///
            /// Use it to move items from a group with a team's prefix to an app group, or back.
            public static func store(
                service: String = "ostiary",
                accessGroup: AccessGroup = .app,
                keychain: Keychain = .dataProtection
            ) -> Origin {
                Origin(service: service, accessGroup: accessGroup, keychain: keychain, item: nil) { $0 }
            }

            /// One item that another library, or the app itself, wrote.
            ///
            /// - Parameters:
            ///   - account: Its `kSecAttrAccount`.
            ///   - service: Its `kSecAttrService`.
            ///   - accessGroup: Its access group.
            ///   - keychain: Its keychain on a Mac.
            ///   - key: The key of its value.
            ///   - conversion: Converts its bytes to the store's value. Default: the same bytes.
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

            /// Returns the account that would hold a key's value in this place; `nil` when the place cannot hold it.
            func account(of key: StoreKey) -> String? {
                guard let item else { return KeychainAccount(of: key).name }
                return item.key == key ? item.account : nil
            }
        }
    }
#endif
