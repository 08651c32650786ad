import Foundation
import SimulatedPlatform

private func key(_ key: KeychainKey) -> CFString { key.rawValue as NSString }
public let kSecClass: CFString = key(.itemClass)
public let kSecClassGenericPassword: CFString = "sim.genp" as NSString
public let kSecAttrService: CFString = key(.service)
public let kSecAttrAccount: CFString = key(.account)
public let kSecAttrAccessGroup: CFString = key(.accessGroup)
public let kSecAttrAccessible: CFString = key(.accessible)
public let kSecAttrAccessControl: CFString = key(.accessControl)
public let kSecAttrSynchronizable: CFString = key(.synchronizable)
public let kSecAttrSynchronizableAny: CFString = "sim.syncAny" as NSString
public let kSecAttrLabel: CFString = key(.label)
public let kSecAttrGeneric: CFString = key(.generic)
public let kSecAttrCreationDate: CFString = key(.creationDate)
public let kSecAttrModificationDate: CFString = key(.modificationDate)
public let kSecValueData: CFString = key(.valueData)
public let kSecReturnData: CFString = key(.returnData)
public let kSecReturnAttributes: CFString = key(.returnAttributes)
public let kSecMatchLimit: CFString = key(.matchLimit)
public let kSecMatchLimitOne: CFString = "sim.one" as NSString
public let kSecMatchLimitAll: CFString = "sim.all" as NSString
public let kSecUseAuthenticationContext: CFString = key(.useContext)
public let kSecUseAuthenticationUI: CFString = key(.useAuthenticationUI)
public let kSecUseAuthenticationUISkip: CFString = "sim.skipUI" as NSString
@available(iOS 13.0, macOS 10.15, *)
public let kSecUseDataProtectionKeychain: CFString = key(.useDataProtection)

private func accessible(_ value: KeychainAccessible) -> CFString { value.rawValue as NSString }
public let kSecAttrAccessibleWhenUnlocked: CFString = accessible(.whenUnlocked)
public let kSecAttrAccessibleAfterFirstUnlock: CFString = accessible(.afterFirstUnlock)
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = accessible(.whenUnlockedThisDeviceOnly)
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = accessible(.afterFirstUnlockThisDeviceOnly)
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = accessible(.whenPasscodeSetThisDeviceOnly)
