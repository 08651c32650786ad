#if canImport(Security)
    import Foundation
    import OstiaryOAuth
    import Security

    /// The state of values that can be read without opening them and without asking the user.
    struct KeychainSight: Sendable {
        let place: KeychainPlace
        let probe: KeychainProbe
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
                _ = try probe.open()
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

    /// An item without a secret that proves, by being read or added, that the keychain of its accessibility is open.
    struct KeychainProbe: Sendable {
        let place: KeychainPlace
        let accessibility: KeychainStore.Accessibility

        /// The content of the item, once the keychain is open.
        struct Content {
            /// The installation that wrote to this keychain; `nil` when none has been recorded.
            var installation: String?
        }

        /// The item's account, in every access group.
        var account: String { "\(KeychainAccount.probe):\(accessibility)" }
        private static let emptyMark = "-"

        /// Proves that the keychain is open: reads an item of this accessibility, or adds one and reads it.
        ///
        /// - Throws: The keychain's status when it is not open; `locked` when it hides an existing item.
        func open() throws(KeychainError) -> Content {
            if let item = try place.read(account) { return Content(item) }
            let isAdded = try writing { () throws(KeychainError) in try place.add(account, attributes(Self.emptyMark)) }
            guard isAdded, let item = try place.read(account) else { throw .locked }
            return Content(item)
        }

        /// Records the installation that writes to this keychain.
        func note(_ installation: String) throws(KeychainError) { try place.set(account, attributes(installation)) }

        private func attributes(_ text: String) -> [String: Any] {
            [
                kSecValueData as String: Data(text.utf8),
                kSecAttrAccessible as String: accessibility.constant,
            ]
        }
    }

    extension KeychainProbe.Content {
        fileprivate init(_ item: KeychainPlace.Item) {
            let text = String(decoding: item.value, as: UTF8.self)
            installation = text.count > 1 ? text : nil
        }
    }
#endif
