// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(AuthenticationServices)
    import SimulatedPlatform

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

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

#if canImport(AuthenticationServices)
    import AuthenticationServices

    /// The window that the person looks at.
    @MainActor func presentedWindow() -> ASPresentationAnchor {
        #if canImport(UIKit)
            UIApplication.shared.connectedScenes.compactMap { ($0 as? UIWindowScene)?.windows.first }.first!
        #else
            NSApplication.shared.windows.first!
        #endif
    }
#endif
