import Foundation

/// Attribute names of the simulated keychain. Deliberately unlike the platform's own strings, so that code which
/// spells a raw value instead of using the constant fails here.
public enum KeychainKey: String, CaseIterable, Sendable {
    case itemClass = "sim.class"
    case service = "sim.service"
    case account = "sim.account"
    case accessGroup = "sim.group"
    case accessible = "sim.accessible"
    case accessControl = "sim.accessControl"
    case synchronizable = "sim.synchronizable"
    case label = "sim.label"
    case generic = "sim.generic"
    case comment = "sim.comment"
    case itemDescription = "sim.description"
    case creationDate = "sim.created"
    case modificationDate = "sim.modified"
    case valueData = "sim.valueData"
    case returnData = "sim.returnData"
    case returnAttributes = "sim.returnAttributes"
    case matchLimit = "sim.matchLimit"
    case useDataProtection = "sim.useDataProtection"
    case useContext = "sim.useContext"
}

public enum KeychainAccessible: String, Sendable {
    case whenUnlocked = "sim.ak", whenUnlockedThisDeviceOnly = "sim.aku"
    case afterFirstUnlock = "sim.ck", afterFirstUnlockThisDeviceOnly = "sim.cku"
    case whenPasscodeSetThisDeviceOnly = "sim.akpu"

    public var thisDeviceOnly: Bool {
        switch self {
        case .whenUnlocked, .afterFirstUnlock: false
        case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: true
        }
    }

    public func isOpen(_ lock: SimulatedDevice.Lock) -> Bool {
        switch (self, lock) {
        case (_, .unlocked): true
        case (.afterFirstUnlock, .locked), (.afterFirstUnlockThisDeviceOnly, .locked): true
        default: false
        }
    }
}

/// The stand-in for SecAccessControl. Hashable, as every Core Foundation type is in Swift.
public final class SimulatedAccessControl: Hashable {
    public static func == (a: SimulatedAccessControl, b: SimulatedAccessControl) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    public let accessible: KeychainAccessible
    public let flags: UInt
    public init(accessible: KeychainAccessible, flags: UInt) {
        self.accessible = accessible
        self.flags = flags
    }
    public var asksUser: Bool { flags & 0b1_1011 != 0 }
    public var bindsCurrentBiometrySet: Bool { flags & (1 << 3) != 0 }
    public var needsBiometry: Bool { flags & ((1 << 1) | (1 << 3)) != 0 && flags & (1 << 4) == 0 && flags & 1 == 0 }
}

/// What the keychain needs of an LAContext.
public protocol SimulatedAuthenticationContext: AnyObject {
    var interactionNotAllowed: Bool { get set }
    var localizedReason: String { get set }
    var simulatedAlreadyAuthorized: Bool { get }
}

public struct KeychainItem {
    public var fileBased: Bool
    public var group: String
    public var service: String
    public var account: String
    public var synchronizable: Bool
    public var accessible: KeychainAccessible
    public var accessControl: SimulatedAccessControl?
    public var biometryGeneration: Int
    public var label: String?
    public var generic: Data?
    public var data: Data
    public var created: Date
    public var modified: Date
}

public enum KeychainStatus {
    public static let success: Int32 = 0
    public static let param: Int32 = -50
    public static let userCanceled: Int32 = -128
    public static let notAvailable: Int32 = -25291
    public static let authFailed: Int32 = -25293
    public static let duplicateItem: Int32 = -25299
    public static let itemNotFound: Int32 = -25300
    public static let interactionNotAllowed: Int32 = -25308
    public static let missingEntitlement: Int32 = -34018
}

struct KeychainEngine {
    var items: [KeychainItem] = []
    static let genericPassword = "sim.genp"
    static let limitOne = "sim.one", limitAll = "sim.all"
    static let synchronizableAny = "sim.syncAny"

    mutating func removeItems(_ condition: (KeychainItem) -> Bool) { items.removeAll(where: condition) }

    struct Malformed: Error { let status: Int32 }

    struct Query {
        var fileBased: Bool
        var group: String?
        var service: String?
        var account: String?
        var synchronizable: Bool?
        var label: String?
        var returnData = false
        var returnAttributes = false
        var limitAll = false
        var hasLimit = false
        var context: (any SimulatedAuthenticationContext)?
        var raw: [KeychainKey: Any]
    }

    static func parse(_ attributes: [String: Any], _ state: SimulatedDevice.State, isAdd: Bool) throws(Malformed)
        -> Query
    {
        var raw: [KeychainKey: Any] = [:]
        for (name, value) in attributes {
            guard let key = KeychainKey(rawValue: name) else { throw Malformed(status: KeychainStatus.param) }
            raw[key] = value
        }
        func string(_ key: KeychainKey) throws(Malformed) -> String? {
            guard let value = raw[key] else { return nil }
            guard let text = value as? String else { throw Malformed(status: KeychainStatus.param) }
            return text
        }
        func flag(_ key: KeychainKey) throws(Malformed) -> Bool {
            guard let value = raw[key] else { return false }
            guard let bool = value as? Bool else { throw Malformed(status: KeychainStatus.param) }
            return bool
        }
        guard try string(.itemClass) == genericPassword else { throw Malformed(status: KeychainStatus.param) }
        let dataProtection = try flag(.useDataProtection)
        var synchronizable: Bool? = false
        if let value = raw[.synchronizable] {
            if value as? String == synchronizableAny {
                synchronizable = nil
            } else {
                synchronizable = try flag(.synchronizable)
            }
        }
        let fileBased = state.isMac && !dataProtection && synchronizable == false
        if state.isMac, !fileBased, !state.app.hasDataProtectionKeychain {
            throw Malformed(status: KeychainStatus.missingEntitlement)
        }
        let group = try string(.accessGroup)
        if let group, !fileBased, !state.app.keychainAccessGroups.contains(group) {
            throw Malformed(status: KeychainStatus.missingEntitlement)
        }
        var query = Query(
            fileBased: fileBased,
            group: group,
            service: try string(.service),
            account: try string(.account),
            synchronizable: synchronizable,
            label: try string(.label),
            raw: raw
        )
        query.returnData = try flag(.returnData)
        query.returnAttributes = try flag(.returnAttributes)
        if let limit = try string(.matchLimit) {
            query.hasLimit = true
            switch limit {
            case limitOne: break
            case limitAll: query.limitAll = true
            default: throw Malformed(status: KeychainStatus.param)
            }
        }
        if let context = raw[.useContext] {
            guard let context = context as? any SimulatedAuthenticationContext else {
                throw Malformed(status: KeychainStatus.param)
            }
            query.context = context
        }
        return query
    }

    func visible(_ query: Query, _ state: SimulatedDevice.State) -> [Int] {
        items.indices.filter { index in
            let item = items[index]
            guard item.fileBased == query.fileBased else { return false }
            if !item.fileBased, !state.app.keychainAccessGroups.contains(item.group) { return false }
            return (query.group == nil || query.fileBased || query.group == item.group)
                && (query.service == nil || query.service == item.service)
                && (query.account == nil || query.account == item.account)
                && (query.synchronizable == nil || query.synchronizable == item.synchronizable)
                && (query.label == nil || query.label == item.label)
        }
    }

    static func protection(
        _ raw: [KeychainKey: Any],
        fileBased: Bool
    ) throws(Malformed) -> (KeychainAccessible, SimulatedAccessControl?)? {
        if raw[.accessible] != nil, raw[.accessControl] != nil { throw Malformed(status: KeychainStatus.param) }
        if let value = raw[.accessControl] {
            guard let control = value as? SimulatedAccessControl, !fileBased else {
                throw Malformed(status: KeychainStatus.param)
            }
            return (control.accessible, control)
        }
        if let value = raw[.accessible] {
            guard let name = value as? String, let accessible = KeychainAccessible(rawValue: name) else {
                throw Malformed(status: KeychainStatus.param)
            }
            return (accessible, nil)
        }
        return nil
    }
}

extension SimulatedDevice {
    private func malformed(_ body: () throws(KeychainEngine.Malformed) -> Int32) -> Int32 {
        do throws(KeychainEngine.Malformed) { return try body() } catch { return error.status }
    }

    public func keychainAdd(_ attributes: [String: Any]) -> (Int32, AnyObject?) {
        withEngine { engine, state in
            let status = malformed { () throws(KeychainEngine.Malformed) -> Int32 in
                let query = try KeychainEngine.parse(attributes, state, isAdd: true)
                if query.hasLimit { return KeychainStatus.param }
                guard let data = query.raw[.valueData] as? Data else { return KeychainStatus.param }
                let (accessible, control) =
                    try KeychainEngine.protection(query.raw, fileBased: query.fileBased) ?? (.whenUnlocked, nil)
                if accessible.thisDeviceOnly, query.synchronizable == true { return KeychainStatus.param }
                if accessible == .whenPasscodeSetThisDeviceOnly, !state.passcodeSet {
                    return KeychainStatus.notAvailable
                }
                if let control, control.needsBiometry, !state.biometry.enrolled { return KeychainStatus.authFailed }
                guard query.fileBased || accessible.isOpen(state.lock) else {
                    return KeychainStatus.interactionNotAllowed
                }
                let group = query.fileBased ? "" : query.group ?? state.app.keychainAccessGroups.first
                guard let group else { return KeychainStatus.missingEntitlement }
                let service = query.service ?? "", account = query.account ?? ""
                let synchronizable = query.synchronizable ?? false
                let clash = engine.items.contains {
                    $0.fileBased == query.fileBased && $0.group == group && $0.service == service
                        && $0.account == account && $0.synchronizable == synchronizable
                }
                if clash { return KeychainStatus.duplicateItem }
                engine.items.append(
                    KeychainItem(
                        fileBased: query.fileBased,
                        group: group,
                        service: service,
                        account: account,
                        synchronizable: synchronizable,
                        accessible: accessible,
                        accessControl: control,
                        biometryGeneration: state.biometry.enrollmentGeneration,
                        label: query.label,
                        generic: query.raw[.generic] as? Data,
                        data: data,
                        created: Date(),
                        modified: Date()
                    )
                )
                return KeychainStatus.success
            }
            return (status, nil)
        }
    }

    /// Whether the user (or an already authorised context) lets this item be read.
    private func authorize(_ item: KeychainItem, _ context: (any SimulatedAuthenticationContext)?) -> Int32 {
        guard let control = item.accessControl, control.asksUser else { return KeychainStatus.success }
        let state = snapshot
        if control.bindsCurrentBiometrySet, item.biometryGeneration != state.biometry.enrollmentGeneration {
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

    public func keychainCopyMatching(_ attributes: [String: Any]) -> (Int32, AnyObject?) {
        // Two phases: the prompt must not hold the device lock.
        var query: KeychainEngine.Query?
        var matches: [KeychainItem] = []
        let state = snapshot
        let status = malformed { () throws(KeychainEngine.Malformed) -> Int32 in
            let parsed = try KeychainEngine.parse(attributes, state, isAdd: false)
            query = parsed
            matches = withEngine { engine, state in engine.visible(parsed, state).map { engine.items[$0] } }
            return matches.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success
        }
        guard status == KeychainStatus.success, let query else { return (status, nil) }
        if !query.limitAll { matches = [matches[0]] }
        var results: [Any] = []
        for item in matches {
            // Attributes alone are readable while locked; the value is not.
            if query.returnData {
                guard item.fileBased || item.accessible.isOpen(state.lock) else {
                    return (KeychainStatus.interactionNotAllowed, nil)
                }
                let verdict = authorize(item, query.context)
                guard verdict == KeychainStatus.success else { return (verdict, nil) }
            }
            if query.returnAttributes {
                var attributes: [String: Any] = [
                    KeychainKey.account.rawValue: item.account, KeychainKey.service.rawValue: item.service,
                    KeychainKey.synchronizable.rawValue: item.synchronizable,
                    KeychainKey.creationDate.rawValue: item.created,
                    KeychainKey.modificationDate.rawValue: item.modified,
                ]
                if !item.fileBased {
                    attributes[KeychainKey.accessGroup.rawValue] = item.group
                    attributes[KeychainKey.accessible.rawValue] = item.accessible.rawValue
                }
                if let label = item.label { attributes[KeychainKey.label.rawValue] = label }
                if query.returnData { attributes[KeychainKey.valueData.rawValue] = item.data }
                results.append(attributes)
            } else if query.returnData {
                results.append(item.data)
            }
        }
        guard query.returnData || query.returnAttributes else { return (KeychainStatus.success, nil) }
        if query.limitAll { return (KeychainStatus.success, results as AnyObject) }
        return (KeychainStatus.success, results[0] as AnyObject)
    }

    public func keychainUpdate(_ attributes: [String: Any], _ changes: [String: Any]) -> Int32 {
        let state = snapshot
        return malformed { () throws(KeychainEngine.Malformed) -> Int32 in
            let query = try KeychainEngine.parse(attributes, state, isAdd: false)
            if query.hasLimit || query.returnData || query.returnAttributes { return KeychainStatus.param }
            var raw: [KeychainKey: Any] = [:]
            for (name, value) in changes {
                guard let key = KeychainKey(rawValue: name) else { return KeychainStatus.param }
                switch key {
                case .itemClass, .returnData, .returnAttributes, .matchLimit, .useContext, .useDataProtection:
                    return KeychainStatus.param
                default: raw[key] = value
                }
            }
            let protection = try KeychainEngine.protection(raw, fileBased: query.fileBased)
            return withEngine { engine, state in
                let hits = engine.visible(query, state)
                if hits.isEmpty { return KeychainStatus.itemNotFound }
                for index in hits
                where !engine.items[index].fileBased && !engine.items[index].accessible.isOpen(state.lock) {
                    return KeychainStatus.interactionNotAllowed
                }
                for index in hits {
                    var item = engine.items[index]
                    if let value = raw[.valueData] {
                        guard let data = value as? Data else { return KeychainStatus.param }
                        item.data = data
                    }
                    if let account = raw[.account] as? String { item.account = account }
                    if let service = raw[.service] as? String { item.service = service }
                    if let (accessible, control) = protection {
                        item.accessible = accessible
                        item.accessControl = control
                    }
                    let clash = engine.items.indices.contains {
                        $0 != index && engine.items[$0].group == item.group && engine.items[$0].service == item.service
                            && engine.items[$0].account == item.account
                            && engine.items[$0].synchronizable == item.synchronizable
                    }
                    if clash { return KeychainStatus.duplicateItem }
                    item.modified = Date()
                    engine.items[index] = item
                }
                return KeychainStatus.success
            }
        }
    }

    public func keychainDelete(_ attributes: [String: Any]) -> Int32 {
        let state = snapshot
        return malformed { () throws(KeychainEngine.Malformed) -> Int32 in
            let query = try KeychainEngine.parse(attributes, state, isAdd: false)
            if query.hasLimit, !query.fileBased { return KeychainStatus.param }
            return withEngine { engine, state in
                var hits = engine.visible(query, state)
                if hits.isEmpty { return KeychainStatus.itemNotFound }
                if query.fileBased, !query.limitAll { hits = [hits[0]] }
                for index in hits.reversed() { engine.items.remove(at: index) }
                return KeychainStatus.success
            }
        }
    }
}
