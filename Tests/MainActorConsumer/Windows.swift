// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(AuthenticationServices) && canImport(SwiftUI) && canImport(SimulatedPlatform)
    import AuthenticationServices
    import SimulatedPlatform

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// A new device, with one window in front.
    func freshDevice() {
        #if canImport(UIKit)
            SimulatedDevice.shared.reset(isMac: false)
            UIApplication.shared.simulateNoScenes()
            _ = UIApplication.shared.simulateScene(.foregroundActive)
        #else
            SimulatedDevice.shared.reset(isMac: true)
            NSApplication.shared.simulateNoWindows()
            _ = NSApplication.shared.simulateWindow()
        #endif
    }

    /// The window that the person looks at.
    func frontWindow() -> ASPresentationAnchor? {
        #if canImport(UIKit)
            UIApplication.shared.connectedScenes.lazy.compactMap { $0 as? UIWindowScene }.first?.windows.first
        #else
            NSApplication.shared.keyWindow
        #endif
    }
#endif
