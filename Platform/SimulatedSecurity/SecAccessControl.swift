import Foundation
import SimulatedPlatform

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
