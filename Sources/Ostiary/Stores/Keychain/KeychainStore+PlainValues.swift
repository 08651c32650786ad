#if canImport(Security)
    import Foundation
    import OstiaryCompatibility
    public import OstiaryOAuth
    import Security

    /// Values that only the device protects: one item each.
    extension KeychainStore {
        var place: KeychainPlace {
            KeychainPlace(
                service: configuration.service,
                accessGroup: configuration.accessGroup.name,
                keychain: keychain
            )
        }

        var probe: KeychainProbe { KeychainProbe(place: place, accessibility: configuration.accessibility) }

        func plainValue(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            if let value = try plainItem(of: key) { return value }
            try proveAbsence()
            // The device may have been unlocked in between.
            if let value = try plainItem(of: key) { return value }
            return try movedValue(of: key) { (value) throws(KeychainError) in
                try self.setPlainValue(value, of: key)
                return try self.plainItem(of: key)
            }
        }

        func setPlainValue(_ value: [UInt8], of key: StoreKey) throws(KeychainError) {
            var attributes = describing(key)
            attributes[kSecValueData as String] = Data(value)
            let item = attributes
            try writing { () throws(KeychainError) in try place.set(KeychainAccount(of: key).name, item) }
        }

        func removePlainValue(of key: StoreKey) throws(KeychainError) {
            let account = KeychainAccount(of: key).name
            if try place.remove(account) { return }
            // Nothing was removed, which is a success only if the item does not exist.
            try proveAbsence()
            // The device may have been unlocked meanwhile.
            try removeGuardedValue(of: key)
            try place.remove(account)
        }

        /// Throws unless the keychain is open, so that an item that was not found does not exist.
        func proveAbsence() throws(KeychainError) { try sight.proveAbsence() }

        /// The state of values that can be read without opening them.
        var sight: KeychainSight {
            KeychainSight(
                place: place,
                probe: probe,
                protectedData: configuration.protectedData,
                isGuarded: configuration.userCheck != nil
            )
        }

        /// The attributes of an item besides its value: its accessibility and its key.
        func describing(_ key: StoreKey) -> [String: Any] {
            var attributes: [String: Any] = [kSecAttrGeneric as String: Data(key.description.utf8)]
            if keychain == .dataProtection {
                attributes[kSecAttrAccessible as String] = configuration.accessibility.constant
            }
            return attributes
        }

        private func plainItem(of key: StoreKey) throws(KeychainError) -> [UInt8]? {
            let account = KeychainAccount(of: key).name
            guard let item = try place.read(account) else { return nil }
            let wanted = configuration.accessibility.constant as String
            if keychain == .dataProtection, item.accessible != wanted {
                // In place, so nothing can be lost; the next read repeats a failed update.
                _ = try? place.update(account, describing(key))
            }
            return item.value
        }
    }

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

    extension KeychainStore {
        /// Reports changes to the value of a key, made here or, within about a second, by the app's extensions.
        public func changes(of key: StoreKey) -> AsyncStream<StoreKey.Change> {
            changes(of: key, lookingEvery: .seconds(1))
        }

        /// Reports changes to the value of a key, made here or by another process.
        ///
        /// The item's attributes are inspected, not its value, so the user is not asked even for a guarded value. A
        /// locked keychain counts as unchanged; changes made meanwhile are reported once it is open. Moving a value
        /// into this store is a change as well.
        ///
        /// - Parameters:
        ///   - key: The key of the value.
        ///   - interval: The time between two inspections for changes by other processes; at least 50 ms. A write
        ///     through this store is reported at once.
        ///   - clock: The clock that times the inspections.
        /// - Returns: The changes; of several that the listener has not consumed yet, the last one.
        public func changes(
            of key: StoreKey,
            lookingEvery interval: Duration,
            clock: DeviceClock = .system
        ) -> AsyncStream<StoreKey.Change> {
            let seen = LastSeen()
            return observers.changes(of: key, lookingEvery: max(interval, .milliseconds(50)), clock: clock) {
                [sight, versions] in
                seen.look { () throws(KeychainError) in
                    try sight.identity(of: key).map { SeenValue(identity: $0, version: versions.version(of: key)) }
                }
            }
        }
    }

    /// A value's identity, and the write of this process that set it: a keychain's timestamps may be coarse.
    private struct SeenValue: Sendable, Hashable {
        let identity: KeychainSight.Identity
        let version: Int?
    }

    /// The last known state, which counts while the keychain cannot be read.
    private final class LastSeen: Sendable {
        private let value = Lock<SeenValue?>(nil)

        func look(_ body: () throws(KeychainError) -> SeenValue?) -> SeenValue? {
            value.withLock { value in
                if case .success(let found) = Result(catching: { () throws(KeychainError) in try body() }) {
                    value = found
                }
                return value
            }
        }
    }
#endif
