#if canImport(Security)
    public import OstiaryOAuth

    /// Moving values from their former places.
    extension KeychainStore {
        /// The former places of values: the app's list and, if the app is now entitled, a Mac's login keychain.
        private var origins: [Origin] {
            let here = place
            var origins = configuration.movingFrom
            #if canImport(AppKit) && !canImport(UIKit)
                if keychain == .dataProtection, case .automatic = configuration.keychain {
                    origins.append(.store(service: configuration.service, keychain: .login))
                }
            #endif
            return origins.filter { $0.place != here || $0.item != nil }
        }

        /// The former places that are stores of this library.
        var placesToMoveFrom: [KeychainPlace] { origins.filter { $0.item == nil }.map(\.place) }

        /// Returns the keys of named items that are still in their former places.
        func namedKeysToMove() throws(KeychainError) -> [StoreKey] {
            var keys: [StoreKey] = []
            for origin in origins {
                guard let item = origin.item, try origin.place.has(item.account) else { continue }
                keys.append(item.key)
            }
            return keys
        }

        /// Moves a value here from the first place that has one.
        ///
        /// `store` stores the value here, and returns the value that is then found here.
        ///
        /// - Throws: The error of the failed step; the value is still in its former place.
        func movedValue(
            of key: StoreKey,
            _ store: ([UInt8]) throws(KeychainError) -> [UInt8]?
        ) throws(KeychainError) -> [UInt8]? {
            for origin in origins {
                guard let account = origin.account(of: key) else { continue }
                guard let old = try origin.place.read(account, words(for: origin)) else { continue }
                guard let value = try origin.converted(old.value) else { continue }
                guard try store(value) == value else { throw .unavailable }
                // An item that stays there is a copy: it is not read again, and the next write removes it.
                _ = try? origin.place.remove(account)
                return value
            }
            return nil
        }

        /// The attribute that makes another library's item, which the user may have to unlock, ask with the app's
        /// words.
        private func words(for origin: Origin) -> [String: Any] {
            guard configuration.userCheck != nil, origin.keychain == .dataProtection else { return [:] }
            return (try? contextForReading()) ?? [:]
        }

        /// Removes the remains of a value from its former places, or throws.
        func removeOrigins(of key: StoreKey) throws(KeychainError) {
            for origin in origins {
                guard let account = origin.account(of: key) else { continue }
                try origin.place.remove(account)
            }
        }

        /// Removes the remains of a value from its former places, as far as possible now.
        func forgetOrigins(of key: StoreKey) {
            for origin in origins {
                guard let account = origin.account(of: key) else { continue }
                _ = try? origin.place.remove(account)
            }
        }

        /// Removes the remains of an earlier installation from the former places in one access group.
        func discardOrigins(in group: String) throws(KeychainError) {
            for origin in origins where origin.accessGroup == .app && origin.keychain == .dataProtection {
                var place = origin.place
                place.accessGroup = group
                if let item = origin.item {
                    try place.remove(item.account)
                } else {
                    try place.removeAll()
                }
            }
        }
    }

    extension KeychainStore.Origin {
        fileprivate func converted(_ value: [UInt8]) throws(KeychainError) -> [UInt8]? {
            do throws(StorageFailure) {
                return try conversion(value)
            } catch {
                throw error == .corrupted ? .corrupted : .unavailable
            }
        }
    }

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
            /// - Returns: The origin of one value.
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
