import Foundation

extension SimulatedDevice {
    /// SecItemCopyMatching.
    public func keychainCopyMatching(_ attributes: [String: Any]) -> (Int32, AnyObject?) {
        if let fault = keychainFault() { return (fault, nil) }
        let state = snapshot
        do throws(KeychainQuery.Malformed) {
            let query = try KeychainQuery(attributes, state)
            let answer = askKeychains(of: query, state) { found($0, state) }
            return (answer.status, answer.result)
        } catch {
            return (error.status, nil)
        }
    }

    private func found(_ query: KeychainQuery, _ state: State) -> KeychainAnswer {
        // In two steps, since a prompt must not hold the device's lock.
        let matches = withEngine { engine, state in engine.matches(query, state).map { engine.items[$0] } }
        if matches.isEmpty { return KeychainAnswer(status: KeychainStatus.itemNotFound) }
        // All values at once are refused by the login keychain.
        if query.fileBased, query.limitsToOne == false, query.returnsData {
            return KeychainAnswer(status: KeychainStatus.param)
        }
        let opened: [KeychainItem]
        switch open(matches, query, state) {
        case .success(let items): opened = items
        case .failure(let refusal): return KeychainAnswer(status: refusal.status)
        }
        if opened.isEmpty { return KeychainAnswer(status: KeychainStatus.itemNotFound) }
        guard query.returnsData || query.returnsAttributes else {
            return KeychainAnswer(status: KeychainStatus.success)
        }
        let results = opened.compactMap { result(of: query, $0, state) }
        if query.limitsToOne == false {
            return KeychainAnswer(status: KeychainStatus.success, result: results as NSArray)
        }
        return KeychainAnswer(status: KeychainStatus.success, result: results.first.map { $0 as AnyObject })
    }

    /// Opens items one after another, whatever is to be returned of them: attributes are sealed as values are, and a constraint
    /// is checked for them, too.
    ///
    /// One that is sealed ends the query. One that a user guards is left out when the query says so, and otherwise the user
    /// is asked once it is known that nothing is sealed; the rest is looked at meanwhile.
    /// (Security, SecItemDb.c, s3dl_query and s3dl_query_row; SecDbKeychainItem.m, ks_decrypt_data)
    private func open(
        _ matches: [KeychainItem],
        _ query: KeychainQuery,
        _ state: State
    ) -> Result<[KeychainItem], KeychainQuery.Malformed> {
        let limit = query.limitsToOne ?? true ? 1 : matches.count
        var opened: [KeychainItem] = []
        var guarded = 0
        for item in matches where opened.count - guarded < limit {
            guard item.fileBased || item.accessible.isOpen(state.lock) else {
                return .failure(.init(status: KeychainStatus.interactionNotAllowed))
            }
            // An item that cannot be opened for good counts as absent.
            guard !isInvalidated(item, state) || !state.ambiguities.invalidatedItemIsGone else { continue }
            if item.accessControl?.asksUser == true {
                if query.skipsGuardedItems { continue }
                guarded += 1
            }
            opened.append(item)
        }
        for item in opened {
            let verdict = authorize(item, query.context)
            guard verdict == KeychainStatus.success else { return .failure(.init(status: verdict)) }
        }
        return .success(Array(opened.prefix(limit)))
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
