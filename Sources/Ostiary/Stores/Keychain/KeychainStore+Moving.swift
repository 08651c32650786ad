#if canImport(Security)
    import OstiaryOAuth

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
        /// - Parameter store: Stores the value here, and returns the value that is then found here.
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
            guard configuration.personCheck != nil, origin.keychain == .dataProtection else { return [:] }
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
#endif
