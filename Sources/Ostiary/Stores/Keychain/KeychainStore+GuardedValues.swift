#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import Security

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

    /// Values that the user has to unlock: numbered versions, of which the newest counts.
    ///
    /// Changing a guarded item would ask the user, and so would every query that matches it, whatever it returns. A
    /// write therefore adds a new version, records it in the companion, and then removes the old version by its
    /// account, which does not ask. A version exists at all times. Only a read matches a guarded item.
    extension KeychainStore {
        func guardedValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            let account = KeychainAccount(of: key)
            guard var known = try companion(of: account) else { return try unversionedValue(of: key) }
            let context = try contextForReading()
            // Another process may have written during the search.
            for _ in 0..<3 {
                for version in [known.newest + 1, known.newest] where version > 0 {
                    guard let value = try value(of: version, account, known, context) else { continue }
                    if version > known.newest { finishWrite(of: key, after: known, enrolment: []) }
                    unlocked.insert(value, for: key)
                    return value
                }
                guard let now = try companion(of: account), now != known else {
                    if known.newest == 0 { return try unversionedValue(of: key) }
                    throw .invalidated
                }
                known = now
            }
            throw .locked
        }

        /// Whether there is a value; the user is not asked.
        func hasGuardedValue(of key: StoreKey) throws(KeychainError) -> Bool {
            if try seesGuardedValue(of: key) { return true }
            try proveAbsence()
            // The device may have been unlocked in between.
            return try seesGuardedValue(of: key)
        }

        /// Whether a version of the value exists; the user is not asked.
        func hasVersion(of key: StoreKey) throws(KeychainError) -> Bool {
            let account = KeychainAccount(of: key)
            guard let known = try companion(of: account) else { return false }
            return try hasVersion(known, account)
        }

        func setGuardedValue(_ value: [UInt8], of key: StoreKey) throws(KeychainError) {
            // A value that this store could not read is not written.
            guard Self.asksPersons, let check = configuration.userCheck, keychain == .dataProtection else {
                throw .unavailable
            }
            let item: [String: Any] = [
                kSecValueData as String: Data(value),
                kSecAttrGeneric as String: Data(key.description.utf8),
                kSecAttrAccessControl as String: try check.accessControl(),
            ]
            try writing { () throws(KeychainError) in try addVersion(item, of: key) }
        }

        func removeGuardedValue(of key: StoreKey) throws(KeychainError) {
            // A store with a check may have written before this one.
            guard keychain == .dataProtection else { return }
            let account = KeychainAccount(of: key)
            guard let known = try companionToReplace(of: account) else { return }
            for version in known.versions { try place.remove(account.version(version)) }
            try place.remove(account.companion)
        }

        private func addVersion(_ item: [String: Any], of key: StoreKey) throws(KeychainError) {
            let account = KeychainAccount(of: key)
            let before = try companionToReplace(of: account)
            var known = before ?? KeychainCompanion()
            // The companion comes first, so that no version ever exists without it.
            if before == nil { try note(known, of: key) }
            removeOldVersions(&known, account)
            do throws(KeychainError) {
                while try !place.add(account.version(known.newest + 1), item) {
                    // An interrupted write left this version; it counts until the next one exists.
                    known.add(enrolment: [])
                    try note(known, of: key)
                }
            } catch {
                if before == nil { _ = try? place.remove(account.companion) }
                throw error
            }
            finishWrite(of: key, after: known, enrolment: Enrolment.current()?.bytes ?? [])
        }

        /// Records in the companion a version added after those that it names, and removes these.
        ///
        /// The value is in place already; the next write repeats a failed step.
        private func finishWrite(of key: StoreKey, after known: KeychainCompanion, enrolment: [UInt8]) {
            let account = KeychainAccount(of: key)
            var known = known
            known.add(enrolment: enrolment)
            guard (try? note(known, of: key)) != nil else { return }
            removeOldVersions(&known, account)
            _ = try? place.remove(account.name)
        }

        /// Removes the versions before the newest one; the user is not asked.
        private func removeOldVersions(_ known: inout KeychainCompanion, _ account: KeychainAccount) {
            while known.oldest < known.newest {
                guard (try? place.remove(account.version(known.oldest))) != nil else { return }
                known.oldest += 1
            }
        }

        private func note(_ known: KeychainCompanion, of key: StoreKey) throws(KeychainError) {
            var item = describing(key)
            item[kSecValueData as String] = Data(known.bytes)
            try place.set(KeychainAccount(of: key).companion, item)
        }

        private func value(
            of version: Int,
            _ account: KeychainAccount,
            _ known: KeychainCompanion,
            _ context: [String: Any]
        ) throws(KeychainError) -> [UInt8]? {
            do throws(KeychainError) {
                return try place.read(account.version(version), context)?.value
            } catch {
                // The companion records nothing about a version that it does not name.
                guard error.status == errSecAuthFailed, version == known.newest,
                    let before = Enrolment(known.enrolment), let now = Enrolment.current(), before.hasChanged(to: now)
                else { throw error }
                throw .invalidated
            }
        }

        private func companion(of account: KeychainAccount) throws(KeychainError) -> KeychainCompanion? {
            try place.companion(of: account)
        }

        /// Returns the companion before a write or a removal; an unreadable one counts as new.
        private func companionToReplace(of account: KeychainAccount) throws(KeychainError) -> KeychainCompanion? {
            do throws(KeychainError) {
                return try companion(of: account)
            } catch {
                guard error == .corrupted else { throw error }
                return KeychainCompanion()
            }
        }

        private func hasVersion(
            _ known: KeychainCompanion,
            _ account: KeychainAccount
        ) throws(KeychainError) -> Bool {
            if known.newest > 0, try place.has(account.version(known.newest)) { return true }
            return try place.has(account.version(known.newest + 1))
        }

        private func seesGuardedValue(of key: StoreKey) throws(KeychainError) -> Bool {
            let account = KeychainAccount(of: key)
            if let known = try companion(of: account) {
                if try hasVersion(known, account) { return true }
                if known.newest > 0 { throw .invalidated }
            }
            return try place.has(account.name)
        }

        /// Returns a value that is not guarded yet, or is in a former place, and guards it from now on.
        private func unversionedValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            if let item = try place.read(KeychainAccount(of: key).name) {
                try setGuardedValue(item.value, of: key)
                return item.value
            }
            try proveAbsence()
            // The device may have been unlocked in between.
            guard try !seesGuardedValue(of: key) else { throw .locked }
            return try movedValue(of: key) { (value) throws(KeychainError) in
                try self.setGuardedValue(value, of: key)
                // Reading it back would ask the user; its presence is all that can be verified.
                return try self.hasVersion(of: key) ? value : nil
            }
        }

        #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
            /// Whether the system can ask the user to unlock a value.
            private static let asksPersons = true

            /// The attribute that makes a query ask with the app's words.
            func contextForReading() throws(KeychainError) -> [String: Any] {
                // Created here, on the store's own queue: a context must not be shared.
                let context = LAContext()
                context.localizedReason = configuration.userCheck?.reason() ?? ""
                return [kSecUseAuthenticationContext as String: context]
            }
        #else
            private static let asksPersons = false
            func contextForReading() throws(KeychainError) -> [String: Any] { throw .unavailable }
        #endif
    }
#endif
