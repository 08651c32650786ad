import Foundation

extension SimulatedDevice {
    /// SecItemAdd: into the file, unless the item is not for it.
    public func keychainAdd(_ attributes: [String: Any]) -> (Int32, AnyObject?) {
        if let fault = keychainFault() { return (fault, nil) }
        let status = withEngine { engine, state in
            checked { () throws(KeychainQuery.Malformed) -> Int32 in
                let asked = try KeychainQuery(attributes, state)
                let query = try asked.run(onFile: asked.targets.file, state)
                guard query.limitsToOne == nil, !query.skipsGuardedItems, let data = query.raw[.valueData] as? Data
                else {
                    return KeychainStatus.param
                }
                let (accessible, control) = try query.protection() ?? (.whenUnlocked, nil)
                if let obstacle = obstacle(query, accessible, control, state) { return obstacle }
                let item = KeychainItem(
                    fileBased: query.fileBased,
                    group: query.fileBased ? "" : query.group ?? state.accessGroups.first ?? "",
                    service: query.service ?? "",
                    account: query.account ?? "",
                    synchronizable: query.synchronizable ?? false,
                    accessible: accessible,
                    accessControl: control,
                    biometryGeneration: state.biometry.enrollmentGeneration,
                    label: query.label,
                    generic: query.raw[.generic] as? Data,
                    data: data,
                    created: state.keychainDate,
                    modified: state.keychainDate
                )
                guard !engine.items.contains(where: item.isSame) else { return KeychainStatus.duplicateItem }
                engine.items.append(item)
                return KeychainStatus.success
            }
        }
        return (status, nil)
    }

    private func obstacle(
        _ query: KeychainQuery,
        _ accessible: KeychainAccessible,
        _ control: SimulatedAccessControl?,
        _ state: State
    ) -> Int32? {
        if accessible.thisDeviceOnly, query.synchronizable == true { return KeychainStatus.param }
        guard !query.fileBased else { return nil }
        // (Security, SecItemDb.c, SecItemAdd's "pdmn=akpu but passcode is not set")
        if accessible == .whenPasscodeSetThisDeviceOnly, !state.passcodeSet { return KeychainStatus.authFailed }
        if let control, control.needsBiometry, !state.biometry.enrolled { return KeychainStatus.authFailed }
        return accessible.isOpen(state.lock) ? nil : KeychainStatus.interactionNotAllowed
    }

    /// SecItemUpdate.
    public func keychainUpdate(_ attributes: [String: Any], _ changes: [String: Any]) -> Int32 {
        if let fault = keychainFault() { return fault }
        let state = snapshot
        return checked { () throws(KeychainQuery.Malformed) -> Int32 in
            let query = try KeychainQuery(attributes, state)
            if query.limitsToOne != nil || query.skipsGuardedItems { return KeychainStatus.param }
            var raw: [KeychainKey: Any] = [:]
            for (name, value) in changes {
                guard let key = KeychainKey(rawValue: name), key != .itemClass, key != .matchLimit else {
                    return KeychainStatus.param
                }
                raw[key] = value
            }
            return askKeychains(of: query, state) { (query) throws(KeychainQuery.Malformed) in
                KeychainAnswer(status: try update(query, raw, state))
            }.status
        }
    }

    private func update(
        _ query: KeychainQuery,
        _ raw: [KeychainKey: Any],
        _ state: State
    ) throws(KeychainQuery.Malformed) -> Int32 {
        let protection = try KeychainQuery.protection(raw, fileBased: query.fileBased)
        let hits = withEngine { engine, state in engine.matches(query, state).map { engine.items[$0] } }
        if hits.isEmpty { return KeychainStatus.itemNotFound }
        for item in hits where !item.fileBased {
            guard item.accessible.isOpen(state.lock), protection?.0.isOpen(state.lock) ?? true else {
                return KeychainStatus.interactionNotAllowed
            }
            // An item that a user guards is changed with the user's consent only.
            let verdict = authorize(item, query.context)
            guard verdict == KeychainStatus.success else { return verdict }
        }
        return apply(raw, protection, query)
    }

    private func apply(
        _ raw: [KeychainKey: Any],
        _ protection: (KeychainAccessible, SimulatedAccessControl?)?,
        _ query: KeychainQuery
    ) -> Int32 {
        withEngine { engine, state in
            for index in engine.matches(query, state) {
                var item = engine.items[index]
                if let value = raw[.valueData] {
                    guard let data = value as? Data else { return KeychainStatus.param }
                    item.data = data
                }
                if let account = raw[.account] as? String { item.account = account }
                if let service = raw[.service] as? String { item.service = service }
                if let generic = raw[.generic] as? Data { item.generic = generic }
                if let (accessible, control) = protection {
                    item.accessible = accessible
                    item.accessControl = control
                }
                let isTaken = engine.items.indices.contains { $0 != index && engine.items[$0].isSame(item) }
                if isTaken { return KeychainStatus.duplicateItem }
                item.modified = state.keychainDate
                engine.items[index] = item
            }
            return KeychainStatus.success
        }
    }

    /// SecItemDelete; the login keychain removes one item at a time.
    public func keychainDelete(_ attributes: [String: Any]) -> Int32 {
        if let fault = keychainFault() { return fault }
        let state = snapshot
        return checked { () throws(KeychainQuery.Malformed) -> Int32 in
            let query = try KeychainQuery(attributes, state)
            return askKeychains(of: query, state) { KeychainAnswer(status: delete($0)) }.status
        }
    }

    private func delete(_ query: KeychainQuery) -> Int32 {
        if query.limitsToOne != nil || query.skipsGuardedItems, !query.fileBased { return KeychainStatus.param }
        return withEngine { engine, state in
            var hits = engine.matches(query, state)
            guard let first = hits.first else { return KeychainStatus.itemNotFound }
            if query.fileBased, query.limitsToOne ?? true { hits = [first] }
            let isSealed = hits.contains {
                !engine.items[$0].fileBased && !engine.items[$0].accessible.isOpen(state.lock)
            }
            if isSealed, !state.ambiguities.deletesSealedItems { return KeychainStatus.interactionNotAllowed }
            for index in hits.reversed() { engine.items.remove(at: index) }
            return KeychainStatus.success
        }
    }
}

extension SimulatedDevice.State {
    /// The time of the keychain's clock.
    fileprivate var keychainDate: Date {
        let now = Date().timeIntervalSince1970
        return Date(timeIntervalSince1970: ambiguities.keychainDatesAreCoarse ? now.rounded(.down) : now)
    }
}
