import Foundation

/// A dictionary that an app handed to a keychain call, checked as the real calls check it.
struct KeychainQuery {
    /// The answer to a malformed dictionary.
    struct Malformed: Error { let status: Int32 }

    var raw: [KeychainKey: Any]
    /// The keychains of the query: both, on a Mac, unless it names one.
    var targets = Targets()
    /// The one that it is run on.
    var fileBased = false
    var group: String?
    var service: String?
    var account: String?
    /// `nil` for items of both kinds.
    var synchronizable: Bool? = false
    var label: String?
    var returnsData = false
    var returnsAttributes = false
    /// `nil` when the dictionary says nothing of it.
    var limitsToOne: Bool?
    var context: (any SimulatedAuthenticationContext)?
    /// Whether items that a user guards are left out.
    var skipsGuardedItems = false

    /// The keychains of a query. (Security, SecItem.cpp, SecItemCategorizeQuery)
    struct Targets {
        var dataProtection = true
        var file = true
    }

    init(_ attributes: [String: Any], _ state: SimulatedDevice.State) throws(Malformed) {
        raw = [:]
        for (name, value) in attributes {
            guard let key = KeychainKey(rawValue: name) else { throw Malformed(status: KeychainStatus.param) }
            raw[key] = value
        }
        guard try text(.itemClass) == KeychainValue.genericPassword else {
            throw Malformed(status: KeychainStatus.param)
        }
        if raw[.synchronizable] as? String == KeychainValue.synchronizableAny {
            synchronizable = nil
        } else {
            synchronizable = try flag(.synchronizable)
        }
        if !state.isMac {
            targets.file = false
        } else if raw[.useDataProtection] != nil {
            targets.dataProtection = try flag(.useDataProtection)
            targets.file = !targets.dataProtection
        } else if raw[.accessControl] != nil || synchronizable != false {
            targets.file = false
        }
        group = try text(.accessGroup)
        (service, account, label) = (try text(.service), try text(.account), try text(.label))
        (returnsData, returnsAttributes) = (try flag(.returnData), try flag(.returnAttributes))
        switch try text(.matchLimit) {
        case nil: limitsToOne = nil
        case KeychainValue.limitOne: limitsToOne = true
        case KeychainValue.limitAll: limitsToOne = false
        default: throw Malformed(status: KeychainStatus.param)
        }
        if let value = raw[.useContext] {
            guard let context = value as? any SimulatedAuthenticationContext else {
                throw Malformed(status: KeychainStatus.param)
            }
            self.context = context
        }
        skipsGuardedItems = try text(.useAuthenticationUI) == KeychainValue.skipUI
    }

    /// The query as it is run on one keychain.
    func run(onFile fileBased: Bool, _ state: SimulatedDevice.State) throws(Malformed) -> KeychainQuery {
        var query = self
        query.fileBased = fileBased
        try query.checkEntitlements(state)
        return query
    }

    /// When and by whom the item of the dictionary can be opened; `nil` when it does not say.
    func protection() throws(Malformed) -> (KeychainAccessible, SimulatedAccessControl?)? {
        try Self.protection(raw, fileBased: fileBased)
    }

    static func protection(
        _ raw: [KeychainKey: Any],
        fileBased: Bool
    ) throws(Malformed) -> (KeychainAccessible, SimulatedAccessControl?)? {
        let malformed = Malformed(status: KeychainStatus.param)
        if raw[.accessible] != nil, raw[.accessControl] != nil { throw malformed }
        if let value = raw[.accessControl] {
            guard let control = value as? SimulatedAccessControl, !fileBased else { throw malformed }
            return (control.accessible, control)
        }
        guard let value = raw[.accessible] else { return nil }
        guard let accessible = (value as? String).flatMap(KeychainAccessible.init) else { throw malformed }
        return (accessible, nil)
    }

    private func checkEntitlements(_ state: SimulatedDevice.State) throws(Malformed) {
        guard !fileBased else { return }
        if state.isMac, !state.app.hasDataProtectionKeychain {
            throw Malformed(status: KeychainStatus.missingEntitlement)
        }
        let groups = state.accessGroups
        guard !groups.isEmpty, group.map({ groups.contains($0) }) ?? true else {
            throw Malformed(status: KeychainStatus.missingEntitlement)
        }
    }

    private func text(_ key: KeychainKey) throws(Malformed) -> String? {
        guard let value = raw[key] else { return nil }
        guard let text = value as? String else { throw Malformed(status: KeychainStatus.param) }
        return text
    }

    private func flag(_ key: KeychainKey) throws(Malformed) -> Bool {
        guard let value = raw[key] else { return false }
        guard let flag = value as? Bool else { throw Malformed(status: KeychainStatus.param) }
        return flag
    }
}

extension SimulatedDevice.State {
    /// The groups that the app may use, the one for new items first: its keychain groups, then its app groups, which are
    /// keychain groups on every platform but the Mac. (Apple, "Sharing access to keychain items among a collection of apps")
    var accessGroups: [String] { app.keychainAccessGroups + (isMac ? [] : app.appGroups) }
}
