import Foundation

extension SimulatedDevice {
    /// SecItemCopyMatching.
    public func keychainCopyMatching(_ attributes: [String: Any]) -> (Int32, AnyObject?) {
        if let fault = keychainFault() { return (fault, nil) }
        // In two steps, since a prompt must not hold the device's lock.
        let state = snapshot
        let query: KeychainQuery
        do throws(KeychainQuery.Malformed) {
            query = try KeychainQuery(attributes, state)
        } catch {
            return (error.status, nil)
        }
        var matches = withEngine { engine, state in engine.matches(query, state).map { engine.items[$0] } }
        guard let first = matches.first else { return (KeychainStatus.itemNotFound, nil) }
        // All values at once are refused by the login keychain.
        if query.fileBased, query.limitsToOne == false, query.returnsData { return (KeychainStatus.param, nil) }
        if query.limitsToOne ?? true { matches = [first] }
        var results: [Any] = []
        for item in matches {
            // Attributes alone can be read while the value is sealed.
            if query.returnsData {
                guard item.fileBased || item.accessible.isOpen(state.lock) else {
                    return (KeychainStatus.interactionNotAllowed, nil)
                }
                let verdict = authorize(item, query.context)
                guard verdict == KeychainStatus.success else { return (verdict, nil) }
            }
            if let result = result(of: query, item, state) { results.append(result) }
        }
        guard query.returnsData || query.returnsAttributes else { return (KeychainStatus.success, nil) }
        if query.limitsToOne == false { return (KeychainStatus.success, results as NSArray) }
        return (KeychainStatus.success, results.first.map { $0 as AnyObject })
    }

    private func result(of query: KeychainQuery, _ item: KeychainItem, _ state: State) -> Any? {
        let hasValue = !(item.data.isEmpty && state.ambiguities.emptyValueReadsAsNothing)
        guard query.returnsAttributes else { return query.returnsData && hasValue ? item.data as NSData : nil }
        var attributes: [String: Any] = [
            KeychainKey.account.rawValue: item.account,
            KeychainKey.service.rawValue: item.service,
            KeychainKey.synchronizable.rawValue: item.synchronizable,
            KeychainKey.creationDate.rawValue: item.created,
            KeychainKey.modificationDate.rawValue: item.modified,
        ]
        if !item.fileBased {
            attributes[KeychainKey.accessGroup.rawValue] = item.group
            attributes[KeychainKey.accessible.rawValue] = item.accessible.rawValue
        }
        if let control = item.accessControl { attributes[KeychainKey.accessControl.rawValue] = control }
        if let label = item.label { attributes[KeychainKey.label.rawValue] = label }
        if let generic = item.generic { attributes[KeychainKey.generic.rawValue] = generic }
        if query.returnsData, hasValue { attributes[KeychainKey.valueData.rawValue] = item.data }
        return attributes as NSDictionary
    }
}
