// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(AuthenticationServices)
    import AuthenticationServices
    import Foundation
    @testable import Ostiary

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// The windows of the device under test, in whichever shape it is.
    @MainActor
    enum Windows {
        /// Nothing is on the screen.
        static func closeAll() {
            #if canImport(UIKit)
                UIApplication.shared.simulateNoScenes()
            #else
                NSApplication.shared.simulateNoWindows()
            #endif
        }

        /// The app comes to the front, with a window.
        static func openInFront() {
            #if canImport(UIKit)
                UIApplication.shared.simulateScene(.background).simulate(.foregroundActive)
            #else
                _ = NSApplication.shared.simulateWindow()
                NSApplication.shared.simulateActivation()
            #endif
        }

        /// The person comes back to the app.
        static func comeBack() {
            #if canImport(UIKit)
                for scene in UIApplication.shared.connectedScenes { scene.simulate(.foregroundActive) }
            #else
                NSApplication.shared.simulateActivation()
            #endif
        }

        /// A window that has left the screen.
        static func gone() -> ASPresentationAnchor? {
            #if canImport(UIKit)
                let scene = UIApplication.shared.simulateScene(.foregroundActive)
                scene.simulate(.background)
                return scene.windows.first
            #else
                let window = NSApplication.shared.simulateWindow()
                window.simulateHidden()
                return window
            #endif
        }

        /// Several windows, of which exactly one is where a sheet belongs.
        static func crowd() -> ASPresentationAnchor? {
            closeAll()
            #if canImport(UIKit)
                _ = UIApplication.shared.simulateScene(.background)
                let front = UIApplication.shared.simulateScene(.foregroundActive, windows: 3)
                let notification = UIWindow(windowScene: front)
                notification.windowLevel = .alert
                notification.isHidden = false
                _ = UIApplication.shared.simulateScene(.foregroundInactive)
                return front.windows[2]
            #else
                let document = NSApplication.shared.simulateWindow(key: false)
                let palette = NSApplication.shared.simulateWindow()
                palette.level = .floating
                _ = document
                return document
            #endif
        }

        /// The window that the default finds.
        static func found() async -> ASPresentationAnchor? { try? await PresentationWindow.frontmost.found() }
    }
#endif
