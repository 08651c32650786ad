#if canImport(Security)
    import Foundation
    import OstiaryOAuth

    /// What can be seen of a value without opening it, and without asking anybody.
    struct KeychainSight: Sendable {
        let place: KeychainPlace
        let canary: KeychainCanary
        let protectedData: KeychainStore.ProtectedData
        let isGuarded: Bool

        /// Another one after each write.
        struct Identity: Sendable, Hashable {
            var account: String
            var created: Date?
            var modified: Date?
        }

        /// What stands there now; `nil` when nothing does, which is believed only of an open keychain.
        func identity(of key: StoreKey) throws(KeychainError) -> Identity? {
            let account = KeychainAccount(of: key)
            if let seen = try look(at: account, isPlain: key.isOfLearnedFacts) { return seen }
            try proveAbsence()
            // The device may have been unlocked between the two.
            return try look(at: account, isPlain: key.isOfLearnedFacts)
        }

        private func look(at account: KeychainAccount, isPlain: Bool) throws(KeychainError) -> Identity? {
            guard isGuarded, !isPlain else { return try place.sight(of: account.name).map(Identity.init) }
            // The value itself would ask; its companion changes with it.
            guard let item = try place.read(account.companion), let known = KeychainCompanion(item.value),
                known.newest > 0
            else { return nil }
            var identity = Identity(item)
            identity.account = account.version(known.newest)
            return identity
        }

        /// Throws unless what was not found is not there.
        func proveAbsence() throws(KeychainError) {
            guard place.keychain == .dataProtection else { return }
            guard let isAvailable = protectedData.isAvailable else {
                _ = try canary.sing()
                return
            }
            guard isAvailable() else { throw .locked }
        }
    }

    extension KeychainSight.Identity {
        init(_ item: KeychainPlace.Item) {
            account = item.account
            created = item.created
            modified = item.modified
        }
    }
#endif
