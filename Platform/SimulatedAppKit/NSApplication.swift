import Foundation
import SimulatedPlatform

/// documentation/appkit/nsapplication
@MainActor open class NSApplication: NSResponder {
    public static let shared = NSApplication()
    /// documentation/appkit/nsapplication/didbecomeactivenotification
    nonisolated public static var didBecomeActiveNotification: NSNotification.Name {
        LifeCycleNotifications.applicationDidBecomeActive
    }

    /// Whether the user is in this app (documentation/appkit/nsapplication/isactive).
    open var isActive: Bool {
        SimulatedDevice.shared.with { $0.windowLooks += 1 }
        return !SimulatedDevice.shared.snapshot.isInAnotherApp
    }
    open internal(set) var windows: [NSWindow] = []
    open var keyWindow: NSWindow? {
        SimulatedDevice.shared.with { $0.windowLooks += 1 }
        return windows.first { $0.isKeyWindow }
    }
    open var mainWindow: NSWindow? { windows.first { $0.isMainWindow } }
}
