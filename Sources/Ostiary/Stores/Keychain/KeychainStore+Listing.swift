#if canImport(Security)
    public import OstiaryOAuth

    extension KeychainStore {
        /// Lists the keys that have values, here or in a place to move from, each once; the user is not asked.
        ///
        /// - Throws: `locked` when the keychain is locked, instead of leaving hidden values out.
        public func keys() async throws(StorageFailure) -> [StoreKey] {
            try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                try store.proveAbsence()
                var keys: [StoreKey] = []
                for item in try store.place.list() {
                    if let key = item.plainKey { keys.append(key) }
                    if let key = item.guardedKey, try store.hasVersion(of: key) { keys.append(key) }
                }
                for place in store.placesToMoveFrom { keys += try place.list().compactMap(\.plainKey) }
                keys += try store.namedKeysToMove()
                var seen: Set<[UInt8]> = []
                return keys.filter { seen.insert(Array($0.description.utf8)).inserted }
            }
        }
    }

    extension KeychainPlace.Item {
        /// The key of the value; `nil` for an item that only describes values.
        fileprivate var plainKey: StoreKey? {
            let key = StoreKey(key.map { String(decoding: $0, as: UTF8.self) } ?? account)
            return account.utf8.elementsEqual(KeychainAccount(of: key).name.utf8) ? key : nil
        }

        /// The key of the guarded value that this companion describes; `nil` for every other item.
        fileprivate var guardedKey: StoreKey? {
            guard let key else { return nil }
            let found = StoreKey(String(decoding: key, as: UTF8.self))
            return account.utf8.elementsEqual(KeychainAccount(of: found).companion.utf8) ? found : nil
        }
    }
#endif
