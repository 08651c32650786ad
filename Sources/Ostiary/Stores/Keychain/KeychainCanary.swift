#if canImport(Security)
    import Foundation
    import Security

    /// An item without a secret that proves, by being read or added, that the keychain of its accessibility is open.
    struct KeychainCanary: Sendable {
        let place: KeychainPlace
        let accessibility: KeychainStore.Accessibility

        /// The content of the item, once the keychain is open.
        struct Song {
            /// The installation that wrote to this keychain; `nil` when none has been recorded.
            var installation: String?
        }

        /// The item's account, in every access group.
        var account: String { "\(KeychainAccount.canary):\(accessibility)" }
        private static let silence = "-"

        /// Proves that the keychain is open: reads an item of this accessibility, or adds one and reads it.
        ///
        /// - Throws: The keychain's status when it is not open; `locked` when it hides an existing item.
        func sing() throws(KeychainError) -> Song {
            if let item = try place.read(account) { return Song(item) }
            let isAdded = try writing { () throws(KeychainError) in try place.add(account, attributes(Self.silence)) }
            guard isAdded, let item = try place.read(account) else { throw .locked }
            return Song(item)
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

    extension KeychainCanary.Song {
        fileprivate init(_ item: KeychainPlace.Item) {
            let text = String(decoding: item.value, as: UTF8.self)
            installation = text.count > 1 ? text : nil
        }
    }
#endif
