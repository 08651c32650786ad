#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import Security

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

    /// Values that a person guards: numbered versions, of which the highest counts.
    ///
    /// To change a guarded item would ask the person. So a new version is added first and the old one removed after it: at no
    /// time is there none. Beside them a companion that is not guarded tells that there is a value, and which faces or
    /// fingers were enrolled when it was written.
    extension KeychainStore {
        func guardedValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            let account = KeychainAccount(of: key)
            guard let version = try versions(of: account).last else { return try unversionedValue(of: key) }
            let item: KeychainPlace.Item?
            do throws(KeychainError) {
                item = try place.read(account.version(version), try contextForReading())
            } catch {
                guard error.status == errSecAuthFailed, try enrolmentHasChanged(since: version, account) else {
                    throw error
                }
                throw .invalidated
            }
            guard let item else { throw .invalidated }
            unlocked.insert(item.value, for: key)
            return item.value
        }

        /// Whether there is a value, without asking the person.
        func hasGuardedValue(of key: StoreKey) throws(KeychainError) -> Bool {
            let account = KeychainAccount(of: key)
            if try !versions(of: account).isEmpty { return true }
            if try place.read(account.companion) != nil { throw .invalidated }
            if try place.read(account.name) != nil { return true }
            try proveAbsence()
            return false
        }

        func setGuardedValue(_ value: [UInt8], of key: StoreKey) throws(KeychainError) {
            guard let check = configuration.personCheck, keychain == .dataProtection else { throw .unavailable }
            let account = KeychainAccount(of: key)
            let old = try versions(of: account)
            let version = (old.last ?? 0) + 1
            let isAdded = try place.add(
                account.version(version),
                [
                    kSecValueData as String: Data(value),
                    kSecAttrGeneric as String: Data(key.description.utf8),
                    kSecAttrAccessControl as String: try check.accessControl(),
                ]
            )
            guard isAdded else { throw .locked }
            var companion = describing(key)
            companion[kSecValueData as String] = Data("\(version) ".utf8) + (currentEnrolment() ?? Data())
            // The value is there; what fails from here on is made good by the next write.
            try? place.set(account.companion, companion)
            for version in old { _ = try? place.remove(account.version(version)) }
            _ = try? place.remove(account.name)
        }

        func removeGuardedValue(of key: StoreKey) throws(KeychainError) {
            // A store without a check may follow one with a check.
            guard keychain == .dataProtection else { return }
            let account = KeychainAccount(of: key)
            for version in try versions(of: account) { try place.remove(account.version(version)) }
            try place.remove(account.companion)
        }

        /// The numbers of the versions that there are, the newest last.
        private func versions(of account: KeychainAccount) throws(KeychainError) -> [Int] {
            try place.list().compactMap { account.version(of: $0.account) }.sorted()
        }

        /// The value that is not guarded yet, or is elsewhere; it is guarded from now on.
        private func unversionedValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            let account = KeychainAccount(of: key)
            if try place.read(account.companion) != nil { throw .invalidated }
            if let item = try place.read(account.name) {
                try setGuardedValue(item.value, of: key)
                return item.value
            }
            try proveAbsence()
            guard try versions(of: account).isEmpty else { throw .locked }
            return try movedValue(of: key) { (value) throws(KeychainError) in
                try self.setGuardedValue(value, of: key)
                // To read it back would ask the person; that it is there is what can be known.
                return try self.versions(of: account).isEmpty ? nil : value
            }
        }

        private func enrolmentHasChanged(since version: Int, _ account: KeychainAccount) throws(KeychainError) -> Bool {
            guard let item = try place.read(account.companion), let now = currentEnrolment() else { return false }
            let prefix = Array("\(version) ".utf8)
            // The companion of another version was not brought up to date: it says nothing.
            guard item.value.starts(with: prefix), item.value.count > prefix.count else { return false }
            return !item.value.dropFirst(prefix.count).elementsEqual(now)
        }

        #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
            private func contextForReading() throws(KeychainError) -> [String: Any] {
                // Made here, on the store's own queue: a context is not to be shared.
                let context = LAContext()
                context.localizedReason = configuration.personCheck?.reason() ?? ""
                return [kSecUseAuthenticationContext as String: context]
            }

            private func currentEnrolment() -> Data? { LAContext().domainState.biometry.stateHash }
        #else
            private func contextForReading() throws(KeychainError) -> [String: Any] { throw .unavailable }
            private func currentEnrolment() -> Data? { nil }
        #endif
    }
#endif
