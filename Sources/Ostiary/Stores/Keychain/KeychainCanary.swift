#if canImport(Security)
    import Foundation
    import Security

    /// An item that keeps nothing secret, and shows by being opened or added that the keychain of its accessibility is open.
    struct KeychainCanary: Sendable {
        let place: KeychainPlace
        let accessibility: KeychainStore.Accessibility

        /// What the canary knows, once the keychain is open.
        struct Song {
            /// The installation that wrote into this keychain; `nil` when none made itself known.
            var installation: String?
        }

        /// Its account, in every access group.
        var account: String { "\(KeychainAccount.canary):\(accessibility)" }
        private static let silence = "-"

        /// Proves that the keychain is open: an item of this accessibility was read, or was added and then read.
        ///
        /// - Throws: What the keychain answers when it is not; `locked` when it hides what is there.
        func sing() throws(KeychainError) -> Song {
            if let item = try place.read(account) { return Song(item) }
            let isAdded = try writing { () throws(KeychainError) in try place.add(account, attributes(Self.silence)) }
            guard isAdded, let item = try place.read(account) else { throw .locked }
            return Song(item)
        }

        /// Notes the installation that writes into this keychain.
        func note(_ installation: String) throws(KeychainError) { try place.set(account, attributes(installation)) }

        private func attributes(_ text: String) -> [String: Any] {
            [
                kSecValueData as String: Data(text.utf8),
                kSecAttrAccessible as String: accessibility.constant,
            ]
        }
    }

    extension KeychainCanary.Song {
        fileprivate init(_ item: KeychainPlace.Item) {
            let text = String(decoding: item.value, as: UTF8.self)
            installation = text.count > 1 ? text : nil
        }
    }
#endif
