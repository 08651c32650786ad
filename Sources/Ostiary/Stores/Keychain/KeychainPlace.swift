#if canImport(Security)
    import Foundation
    import Security

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

    /// The place of items: a service, an access group, and one of a Mac's two keychains.
    ///
    /// This is the only file that calls the keychain. Each call is one step that happens in full or not at all.
    struct KeychainPlace: Sendable, Hashable {
        var service: String
        /// `nil` means every group of the app for a search, and the first group for an addition.
        var accessGroup: String?
        var keychain: KeychainStore.Keychain

        /// An item that was read.
        struct Item {
            var account: String
            var value: [UInt8]
            var group: String?
            var accessible: String?
            /// The key that the item was stored for, in UTF-8.
            var key: [UInt8]?
            var created: Date?
            var modified: Date?

            init?(_ attributes: [String: Any]) {
                guard let account = attributes[kSecAttrAccount as String] as? String else { return nil }
                self.account = account
                // An empty item comes without a value.
                value = (attributes[kSecValueData as String] as? Data).map { Array($0) } ?? []
                group = attributes[kSecAttrAccessGroup as String] as? String
                accessible = attributes[kSecAttrAccessible as String] as? String
                key = (attributes[kSecAttrGeneric as String] as? Data).map { Array($0) }
                created = attributes[kSecAttrCreationDate as String] as? Date
                modified = attributes[kSecAttrModificationDate as String] as? Date
            }
        }

        /// Reads an item; `nil` when the keychain reports that there is none.
        ///
        /// This is the only call that may ask the user.
        ///
        /// `extra` is added to the query, such as a context for a prompt.
        func read(_ account: String, _ extra: [String: Any] = [:]) throws(KeychainError) -> Item? {
            var query = self.query(account)
            query[kSecReturnData as String] = true
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query.merging(extra) { $1 } as CFDictionary, &result)
            guard try Self.isFound(status) else { return nil }
            guard let attributes = result as? [String: Any], let item = Item(attributes) else {
                throw .corrupted
            }
            return item
        }

        /// Whether there is an item, a guarded one included; the user is not asked.
        ///
        /// The keychain finds a guarded or sealed item before it refuses to open it (−25308, −25293). (Security,
        /// SecItemDb.c, s3dl_query_row)
        func has(_ account: String) throws(KeychainError) -> Bool {
            let query = self.query(account).merging(asksNobody) { $1 }
            let status = SecItemCopyMatching(query as CFDictionary, nil)
            if status == errSecInteractionNotAllowed || status == errSecAuthFailed { return true }
            return try Self.isFound(status)
        }

        /// Returns an item without its value; the user is not asked, and guarded items are not found.
        func sight(of account: String) throws(KeychainError) -> Item? {
            var query = self.query(account).merging(leavesOutGuardedItems) { $1 }
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            guard try Self.isFound(SecItemCopyMatching(query as CFDictionary, &result)) else { return nil }
            guard let attributes = result as? [String: Any], let item = Item(attributes) else { throw .corrupted }
            return item
        }

        /// Lists the items of the service, or of one account in it, without their values.
        ///
        /// The user is not asked, and guarded items are not found.
        ///
        /// - Throws: `locked` when one of them is sealed, even if the others are not.
        func list(_ account: String? = nil) throws(KeychainError) -> [Item] {
            var query = self.query(account).merging(leavesOutGuardedItems) { $1 }
            query[kSecReturnAttributes as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitAll
            var result: CFTypeRef?
            guard try Self.isFound(SecItemCopyMatching(query as CFDictionary, &result)) else { return [] }
            guard let items = result as? [[String: Any]] else { throw .corrupted }
            return items.compactMap(Item.init)
        }

        /// Adds an item.
        ///
        /// - Returns: `false` when the item exists already.
        func add(_ account: String, _ attributes: [String: Any]) throws(KeychainError) -> Bool {
            let status = SecItemAdd(query(account).merging(attributes) { $1 } as CFDictionary, nil)
            if status == errSecDuplicateItem { return false }
            guard status == errSecSuccess else { throw KeychainError(status: status) }
            return true
        }

        /// Changes an item in place.
        ///
        /// - Returns: `false` when the keychain reports that there is none.
        func update(_ account: String, _ attributes: [String: Any]) throws(KeychainError) -> Bool {
            try Self.isFound(SecItemUpdate(query(account) as CFDictionary, attributes as CFDictionary))
        }

        /// Removes an item.
        ///
        /// - Returns: `false` when the keychain reports that there is none.
        @discardableResult
        func remove(_ account: String) throws(KeychainError) -> Bool {
            try Self.isFound(SecItemDelete(query(account) as CFDictionary))
        }

        /// Removes every item of the service; only for the data protection keychain, where one call removes all.
        func removeAll() throws(KeychainError) {
            _ = try Self.isFound(SecItemDelete(query() as CFDictionary))
        }

        /// Sets an item's value: updates the item or, if there is none, adds it.
        func set(_ account: String, _ attributes: [String: Any]) throws(KeychainError) {
            if try update(account, attributes) { return }
            if try add(account, attributes) { return }
            // Another process, such as an extension, has just added it; or the item exists and was hidden.
            guard try update(account, attributes) else { throw .locked }
        }

        private static func isFound(_ status: OSStatus) throws(KeychainError) -> Bool {
            switch status {
            case errSecSuccess: return true
            case errSecItemNotFound: return false
            default: throw KeychainError(status: status)
            }
        }

        /// The facts about a guarded value; the item itself is unguarded.
        ///
        /// - Throws: `corrupted` when the item has another form.
        func companion(of account: KeychainAccount) throws(KeychainError) -> KeychainCompanion? {
            guard let item = try read(account.companion) else { return nil }
            guard let companion = KeychainCompanion(item.value) else { throw .corrupted }
            return companion
        }

        /// The attribute that excludes guarded items from a search.
        ///
        /// A query that matches them asks the user, even for attributes alone. (Security, SecDbKeychainItem.m,
        /// ks_decrypt_data)
        private var leavesOutGuardedItems: [String: Any] {
            guard keychain == .dataProtection else { return [:] }
            return [kSecUseAuthenticationUI as String: kSecUseAuthenticationUISkip]
        }

        /// The attribute that makes a query fail instead of asking the user.
        private var asksNobody: [String: Any] {
            guard keychain == .dataProtection else { return [:] }
            #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
                let context = LAContext()
                context.interactionNotAllowed = true
                return [kSecUseAuthenticationContext as String: context]
            #else
                return leavesOutGuardedItems
            #endif
        }

        private func query(_ account: String? = nil) -> [String: Any] {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
            ]
            if let account { query[kSecAttrAccount as String] = account }
            #if canImport(AppKit) && !canImport(UIKit)
                // Without this attribute, a query of an entitled app covers both keychains of a Mac, and a deletion
                // deletes in both. (Security, SecItem.cpp, SecItemCategorizeQuery)
                query[kSecUseDataProtectionKeychain as String] = keychain == .dataProtection
            #else
                if keychain == .dataProtection { query[kSecUseDataProtectionKeychain as String] = true }
            #endif
            if keychain == .dataProtection, let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
            return query
        }
    }
#endif
