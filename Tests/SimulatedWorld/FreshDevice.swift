public import SimulatedPlatform

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// The device that tests script, before they call the platform's ordinary API.
public let device = SimulatedDevice.shared

/// A new device, with one window in front.
@MainActor public func freshDevice() {
    #if canImport(UIKit)
        device.reset(isMac: false)
        UIApplication.simulated.simulateNoScenes()
        _ = UIApplication.simulated.simulateScene(.foregroundActive)
    #else
        device.reset(isMac: true)
        NSApplication.shared.simulateNoWindows()
        _ = NSApplication.shared.simulateWindow()
    #endif
}
