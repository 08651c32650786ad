#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import Security

    #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
        import LocalAuthentication
    #endif

    /// Values that a person guards: numbered versions, of which the newest counts.
    ///
    /// To change a guarded item would ask the person, and so would every query that it matches, whatever is returned. So a new
    /// version is added first, then the companion names it, and then the old one is removed by its account, which asks nobody:
    /// at no time is there none. Only the reading itself matches a guarded item.
    extension KeychainStore {
        func guardedValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            let account = KeychainAccount(of: key)
            guard var known = try companion(of: account) else { return try unversionedValue(of: key) }
            let context = try contextForReading()
            // Another process may have written while the versions were looked for.
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

        /// Whether there is a value, without asking the person.
        func hasGuardedValue(of key: StoreKey) throws(KeychainError) -> Bool {
            if try seesGuardedValue(of: key) { return true }
            try proveAbsence()
            // The device may have been unlocked between the two.
            return try seesGuardedValue(of: key)
        }

        /// Whether a version of the value is there, without asking the person.
        func hasVersion(of key: StoreKey) throws(KeychainError) -> Bool {
            let account = KeychainAccount(of: key)
            guard let known = try companion(of: account) else { return false }
            return try hasVersion(known, account)
        }

        func setGuardedValue(_ value: [UInt8], of key: StoreKey) throws(KeychainError) {
            // What could not be read is not written.
            guard Self.asksPersons, let check = configuration.personCheck, keychain == .dataProtection else {
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
            // A store without a check may follow one with a check.
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
            // It comes first, so that no version is ever there without it.
            if before == nil { try note(known, of: key) }
            removeOldVersions(&known, account)
            do throws(KeychainError) {
                while try !place.add(account.version(known.newest + 1), item) {
                    // A write that was interrupted left it: it counts until the one after it is there.
                    known.add(enrolment: [])
                    try note(known, of: key)
                }
            } catch {
                if before == nil { _ = try? place.remove(account.companion) }
                throw error
            }
            finishWrite(of: key, after: known, enrolment: Enrolment.current()?.bytes ?? [])
        }

        /// Lets the companion name a version that was added after those that it knows, and removes these.
        ///
        /// The value is there; what fails is made good by the next write.
        private func finishWrite(of key: StoreKey, after known: KeychainCompanion, enrolment: [UInt8]) {
            let account = KeychainAccount(of: key)
            var known = known
            known.add(enrolment: enrolment)
            guard (try? note(known, of: key)) != nil else { return }
            removeOldVersions(&known, account)
            _ = try? place.remove(account.name)
        }

        /// Removes the versions before the newest one, which asks nobody.
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
                // The companion says nothing of a version that it does not name.
                guard error.status == errSecAuthFailed, version == known.newest,
                    let before = Enrolment(known.enrolment), let now = Enrolment.current(), before.hasChanged(to: now)
                else { throw error }
                throw .invalidated
            }
        }

        private func companion(of account: KeychainAccount) throws(KeychainError) -> KeychainCompanion? {
            try place.companion(of: account)
        }

        /// The companion before a write or a removal, which need not understand it.
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

        /// The value that is not guarded yet, or is elsewhere; it is guarded from now on.
        private func unversionedValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            if let item = try place.read(KeychainAccount(of: key).name) {
                try setGuardedValue(item.value, of: key)
                return item.value
            }
            try proveAbsence()
            // The device may have been unlocked between the two.
            guard try !seesGuardedValue(of: key) else { throw .locked }
            return try movedValue(of: key) { (value) throws(KeychainError) in
                try self.setGuardedValue(value, of: key)
                // To read it back would ask the person; that it is there is what can be known.
                return try self.hasVersion(of: key) ? value : nil
            }
        }

        #if canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
            /// Whether the system can ask for a person.
            private static let asksPersons = true

            /// The attribute that makes a query ask with the app's words.
            func contextForReading() throws(KeychainError) -> [String: Any] {
                // Made here, on the store's own queue: a context is not to be shared.
                let context = LAContext()
                context.localizedReason = configuration.personCheck?.reason() ?? ""
                return [kSecUseAuthenticationContext as String: context]
            }
        #else
            private static let asksPersons = false
            func contextForReading() throws(KeychainError) -> [String: Any] { throw .unavailable }
        #endif
    }
#endif
