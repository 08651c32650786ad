#if canImport(Security)
    import Foundation
    import OstiaryOAuth

    /// The state of values that can be read without opening them and without asking the user.
    struct KeychainSight: Sendable {
        let place: KeychainPlace
        let canary: KeychainCanary
        let protectedData: KeychainStore.ProtectedData
        let isGuarded: Bool

        /// Identifies the state of a value; each write changes it.
        struct Identity: Sendable, Hashable {
            var account: String
            var created: Date?
            var modified: Date?
        }

        /// Returns the identity of the stored value; `nil` when there is none, which is believed only of an open
        /// keychain.
        func identity(of key: StoreKey) throws(KeychainError) -> Identity? {
            let account = KeychainAccount(of: key)
            if let seen = try look(at: account, isPlain: key.isOfLearnedFacts) { return seen }
            try proveAbsence()
            // The device may have been unlocked in between.
            return try look(at: account, isPlain: key.isOfLearnedFacts)
        }

        private func look(at account: KeychainAccount, isPlain: Bool) throws(KeychainError) -> Identity? {
            guard isGuarded, !isPlain else { return try place.sight(of: account.name).map(Identity.init) }
            // Reading the value would ask the user; its companion changes with it.
            guard let item = try place.read(account.companion), let known = KeychainCompanion(item.value),
                known.newest > 0
            else { return nil }
            var identity = Identity(item)
            identity.account = account.version(known.newest)
            return identity
        }

        /// Throws unless the keychain is open, so that an item that was not found does not exist.
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
