#if canImport(Security)
    import OstiaryOAuth

    /// Moving values from where they were before.
    extension KeychainStore {
        /// Where values may still be: what the app named, and a Mac's login keychain when its app is entitled by now.
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

        /// Where other stores of this library's kept values.
        var placesToMoveFrom: [KeychainPlace] { origins.filter { $0.item == nil }.map(\.place) }

        /// The keys of named items that are still where they were.
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
        /// - Parameter store: Stores it here, and returns what it then finds here.
        /// - Throws: What went wrong; the value is still where it was.
        func movedValue(
            of key: StoreKey,
            _ store: ([UInt8]) throws(KeychainError) -> [UInt8]?
        ) throws(KeychainError) -> [UInt8]? {
            for origin in origins {
                guard let account = origin.account(of: key) else { continue }
                guard let old = try origin.place.read(account, words(for: origin)) else { continue }
                guard let value = try origin.converted(old.value) else { continue }
                guard try store(value) == value else { throw .unavailable }
                // What stays there is a copy: it is looked at no more, and removed by the next write.
                _ = try? origin.place.remove(account)
                return value
            }
            return nil
        }

        /// What lets an item of another library, which a person may guard, ask with the app's words.
        private func words(for origin: Origin) -> [String: Any] {
            guard configuration.personCheck != nil, origin.keychain == .dataProtection else { return [:] }
            return (try? contextForReading()) ?? [:]
        }

        /// Removes what is left of a value where it was before, or throws.
        func removeOrigins(of key: StoreKey) throws(KeychainError) {
            for origin in origins {
                guard let account = origin.account(of: key) else { continue }
                try origin.place.remove(account)
            }
        }

        /// Removes what is left of a value where it was before, if it can be done now.
        func forgetOrigins(of key: StoreKey) {
            for origin in origins {
                guard let account = origin.account(of: key) else { continue }
                _ = try? origin.place.remove(account)
            }
        }

        /// Removes what is left of an earlier installation in one access group.
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
#endif
