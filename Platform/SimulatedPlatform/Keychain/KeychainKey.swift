/// The attribute names of the simulated keychain.
///
/// Deliberately unlike the platform's own strings, so that code which spells a raw value instead of using the constant fails
/// here.
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
    case useAuthenticationUI = "sim.useUI"
}

/// Values of those attributes that are constants, too.
enum KeychainValue {
    static let genericPassword = "sim.genp"
    static let limitOne = "sim.one"
    static let limitAll = "sim.all"
    static let synchronizableAny = "sim.syncAny"
    static let skipUI = "sim.skipUI"
}
