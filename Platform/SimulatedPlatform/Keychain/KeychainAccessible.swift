/// When an item can be opened, and whether it leaves the device.
///
/// (Apple, "Restricting keychain item accessibility")
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

    /// Whether the key of this class is in memory, which adding an item needs as well as reading one.
    public func isOpen(_ lock: SimulatedDevice.Lock) -> Bool {
        switch (self, lock) {
        case (_, .unlocked): true
        case (.afterFirstUnlock, .locked), (.afterFirstUnlockThisDeviceOnly, .locked): true
        default: false
        }
    }
}
