#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import Security

    /// Values that only the device protects: one item each.
    extension KeychainStore {
        var place: KeychainPlace {
            KeychainPlace(
                service: configuration.service,
                accessGroup: configuration.accessGroup.name,
                keychain: keychain
            )
        }

        var canary: KeychainCanary { KeychainCanary(place: place, accessibility: configuration.accessibility) }

        func plainValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            if let value = try plainItem(of: key) { return value }
            try proveAbsence()
            // The device may have been unlocked in between.
            if let value = try plainItem(of: key) { return value }
            return try movedValue(of: key) { (value) throws(KeychainError) in
                try self.setPlainValue(value, of: key)
                return try self.plainItem(of: key)
            }
        }

        func setPlainValue(_ value: [UInt8], of key: StoreKey) throws(KeychainError) {
            var attributes = describing(key)
            attributes[kSecValueData as String] = Data(value)
            let item = attributes
            try writing { () throws(KeychainError) in try place.set(KeychainAccount(of: key).name, item) }
        }

        func removePlainValue(of key: StoreKey) throws(KeychainError) {
            let account = KeychainAccount(of: key).name
            if try place.remove(account) { return }
            // Nothing was removed, which is a success only if the item does not exist.
            try proveAbsence()
            // The device may have been unlocked meanwhile.
            try removeGuardedValue(of: key)
            try place.remove(account)
        }

        /// Throws unless the keychain is open, so that an item that was not found does not exist.
        func proveAbsence() throws(KeychainError) { try sight.proveAbsence() }

        /// The state of values that can be read without opening them.
        var sight: KeychainSight {
            KeychainSight(
                place: place,
                canary: canary,
                protectedData: configuration.protectedData,
                isGuarded: configuration.personCheck != nil
            )
        }

        /// The attributes of an item besides its value: its accessibility and its key.
        func describing(_ key: StoreKey) -> [String: Any] {
            var attributes: [String: Any] = [kSecAttrGeneric as String: Data(key.description.utf8)]
            if keychain == .dataProtection {
                attributes[kSecAttrAccessible as String] = configuration.accessibility.constant
            }
            return attributes
        }

        private func plainItem(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            let account = KeychainAccount(of: key).name
            guard let item = try place.read(account) else { return nil }
            let wanted = configuration.accessibility.constant as String
            if keychain == .dataProtection, item.accessible != wanted {
                // In place, so nothing can be lost; the next read repeats a failed update.
                _ = try? place.update(account, describing(key))
            }
            return item.value
        }
    }
#endif
