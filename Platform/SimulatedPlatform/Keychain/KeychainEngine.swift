import Foundation

/// The items of the simulated keychain.
struct KeychainEngine {
    var items: [KeychainItem] = []

    mutating func removeItems(_ condition: (KeychainItem) -> Bool) { items.removeAll(where: condition) }

    /// The places of the items that a query is about and that the app may see.
    func matches(_ query: KeychainQuery, _ state: SimulatedDevice.State) -> [Int] {
        items.indices.filter { index in
            let item = items[index]
            guard item.fileBased == query.fileBased, item.fileBased || state.accessGroups.contains(item.group) else {
                return false
            }
            // Seen in the field before the first unlock: what is sealed is reported as not there.
            if state.ambiguities.sealedItemsLookAbsent, state.lock == .beforeFirstUnlock, !item.fileBased,
                !item.accessible.isOpen(state.lock)
            {
                return false
            }
            return (query.group.map { query.fileBased || $0.isSameText(item.group) } ?? true)
                && (query.service.map { $0.isSameText(item.service) } ?? true)
                && (query.account.map { $0.isSameText(item.account) } ?? true)
                && (query.synchronizable.map { $0 == item.synchronizable } ?? true)
                && (query.label.map { $0.isSameText(item.label ?? "") } ?? true)
        }
    }
}

extension SimulatedDevice {
    /// The answer to a call that was not malformed.
    func checked(_ body: () throws(KeychainQuery.Malformed) -> Int32) -> Int32 {
        do throws(KeychainQuery.Malformed) { return try body() } catch { return error.status }
    }

    /// The status with which a test wants this call to fail.
    func keychainFault() -> Int32? { with { $0.keychainFaults.next() } }

    /// Whether other faces or fingers are enrolled than those that an item is bound to.
    func isInvalidated(_ item: KeychainItem, _ state: State) -> Bool {
        guard let control = item.accessControl, control.bindsCurrentBiometrySet else { return false }
        return item.biometryGeneration != state.biometry.enrollmentGeneration
    }

    /// Whether the user, or an already authorized context, lets this item be opened.
    func authorize(_ item: KeychainItem, _ context: (any SimulatedAuthenticationContext)?) -> Int32 {
        guard let control = item.accessControl, control.asksUser else { return KeychainStatus.success }
        let state = snapshot
        if isInvalidated(item, state) {
            return state.ambiguities.invalidatedItemIsGone ? KeychainStatus.itemNotFound : KeychainStatus.authFailed
        }
        if context?.simulatedAlreadyAuthorized == true { return KeychainStatus.success }
        if context?.interactionNotAllowed == true { return KeychainStatus.interactionNotAllowed }
        if control.needsBiometry, !state.biometry.enrolled || state.biometry.lockedOut {
            return KeychainStatus.authFailed
        }
        switch prompt(reason: context?.localizedReason ?? "") {
        case .approve: return KeychainStatus.success
        case .cancel: return KeychainStatus.userCanceled
        case .fail, .fallback: return KeychainStatus.authFailed
        }
    }
}
