// Stand-in for the part of Security this SDK uses. Written from public facts; see FACTS.md for each line's source.
import Foundation
import SimulatedPlatform

// MARK: Core Foundation names
// swift-corelibs-foundation gives these classes the same `as` bridging the real toll-free types have on Apple
// platforms, so `query as CFDictionary`, `kSecClass as String` and `result as? Data` mean the same thing here.
public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFError = NSError
public typealias OSStatus = Int32
public final class CFAllocator {}
public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)

// MARK: Status codes
public let errSecSuccess: OSStatus = 0
public let errSecUnimplemented: OSStatus = -4
public let errSecParam: OSStatus = -50
public let errSecAllocate: OSStatus = -108
public let errSecUserCanceled: OSStatus = -128
public let errSecNotAvailable: OSStatus = -25291
public let errSecAuthFailed: OSStatus = -25293
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308
public let errSecDecode: OSStatus = -26275
public let errSecMissingEntitlement: OSStatus = -34018

public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    "simulated keychain status \(status)" as NSString
}

// MARK: Constants
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
@available(iOS 13.0, macOS 10.15, *)
public let kSecUseDataProtectionKeychain: CFString = key(.useDataProtection)

private func accessible(_ value: KeychainAccessible) -> CFString { value.rawValue as NSString }
public let kSecAttrAccessibleWhenUnlocked: CFString = accessible(.whenUnlocked)
public let kSecAttrAccessibleAfterFirstUnlock: CFString = accessible(.afterFirstUnlock)
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = accessible(.whenUnlockedThisDeviceOnly)
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = accessible(.afterFirstUnlockThisDeviceOnly)
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = accessible(.whenPasscodeSetThisDeviceOnly)

// MARK: Access control
public typealias SecAccessControl = SimulatedAccessControl

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public var rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let userPresence = Self(rawValue: 1 << 0)
    @available(iOS 11.3, macOS 10.13.4, *)
    public static let biometryAny = Self(rawValue: 1 << 1)
    @available(iOS 11.3, macOS 10.13.4, *)
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    public static let devicePasscode = Self(rawValue: 1 << 4)
    public static let or = Self(rawValue: 1 << 14)
    public static let and = Self(rawValue: 1 << 15)
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    public static let applicationPassword = Self(rawValue: 1 << 31)
}

public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?,
    _ protection: CFTypeRef,
    _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard let name = protection as? String, let accessible = KeychainAccessible(rawValue: name) else {
        error?.pointee = Unmanaged.passRetained(NSError(domain: "NSOSStatusErrorDomain", code: Int(errSecParam)))
        return nil
    }
    return SimulatedAccessControl(accessible: accessible, flags: flags.rawValue)
}

// MARK: Items
private func plain(_ dictionary: CFDictionary) -> [String: Any] {
    dictionary as? [String: Any] ?? ["sim.malformed": true]
}

@discardableResult
private func give(_ outcome: (OSStatus, AnyObject?), _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    result?.pointee = outcome.1
    return outcome.0
}

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    give(SimulatedDevice.shared.keychainAdd(plain(attributes)), result)
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    give(SimulatedDevice.shared.keychainCopyMatching(plain(query)), result)
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    SimulatedDevice.shared.keychainUpdate(plain(query), plain(attributesToUpdate))
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    SimulatedDevice.shared.keychainDelete(plain(query))
}
