// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(Security) && canImport(SimulatedPlatform)
    import SimulatedPlatform

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// The device that tests script, before they call the platform's ordinary API.
    let device = SimulatedDevice.shared

    /// A new device, with one window in front.
    @MainActor func freshDevice() {
        #if canImport(UIKit)
            device.reset(isMac: false)
            UIApplication.shared.simulateNoScenes()
            _ = UIApplication.shared.simulateScene(.foregroundActive)
        #else
            device.reset(isMac: true)
            NSApplication.shared.simulateNoWindows()
            _ = NSApplication.shared.simulateWindow()
        #endif
    }
#endif
