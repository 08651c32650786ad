import Foundation
import SimulatedPlatform

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
