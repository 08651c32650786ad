#if canImport(Security)
    public import OstiaryOAuth

    extension KeychainStore {
        /// The keys that have values, here or where they are still to be moved from, each once; nobody is asked.
        ///
        /// - Throws: `locked` when the keychain is: what cannot be seen is not left out.
        public func keys() async throws(StorageFailure) -> [StoreKey] {
            try await onQueue { (store) throws(KeychainError) in
                try store.prepare()
                try store.proveAbsence()
                var keys: [StoreKey] = []
                for place in [store.place] + store.placesToMoveFrom {
                    keys += try place.list().compactMap(\.storeKey)
                }
                keys += try store.namedKeysToMove()
                var seen: Set<[UInt8]> = []
                return keys.filter { seen.insert(Array($0.description.utf8)).inserted }
            }
        }
    }

    extension KeychainPlace.Item {
        /// The key whose value this is; `nil` for what a store only knows about values.
        fileprivate var storeKey: StoreKey? {
            let key = StoreKey(key.map { String(decoding: $0, as: UTF8.self) } ?? account)
            let name = KeychainAccount(of: key)
            return account.utf8.elementsEqual(name.name.utf8) || name.version(of: account) != nil ? key : nil
        }
    }
#endif
