import AuthenticationServices
import Foundation
// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
import SimulatedWorld

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
            UIApplication.simulated.simulateNoScenes()
        #else
            NSApplication.shared.simulateNoWindows()
        #endif
    }

    /// The app comes to the front, with a window.
    static func openInFront() {
        #if canImport(UIKit)
            UIApplication.simulated.simulateScene(.background).simulate(.foregroundActive)
        #else
            _ = NSApplication.shared.simulateWindow()
            NSApplication.shared.simulateActivation()
        #endif
    }

    /// The user comes back to the app.
    static func comeBack() {
        #if canImport(UIKit)
            for scene in UIApplication.shared.connectedScenes { scene.simulate(.foregroundActive) }
        #else
            NSApplication.shared.simulateActivation()
        #endif
    }

    /// The user goes to another app.
    static func leave() {
        #if canImport(UIKit)
            for scene in UIApplication.shared.connectedScenes { scene.simulate(.background) }
        #else
            NSApplication.shared.simulateDeactivation()
        #endif
    }

    /// The user comes back to the app, and leaves again before anything else happens.
    static func lookIn() {
        comeBack()
        leave()
    }

    /// A window that has left the screen.
    static func gone() -> ASPresentationAnchor? {
        #if canImport(UIKit)
            let scene = UIApplication.simulated.simulateScene(.foregroundActive)
            scene.simulate(.background)
            return scene.windows.first
        #else
            let window = NSApplication.shared.simulateWindow()
            window.simulateHidden()
            return window
        #endif
    }

    #if canImport(UIKit)
        /// An alert of the app's own is over its window, and has the keyboard.
        ///
        /// - Returns: The window below it.
        static func showAlert() -> ASPresentationAnchor? {
            closeAll()
            let scene = UIApplication.simulated.simulateScene(.foregroundActive)
            let alert = UIWindow(windowScene: scene)
            alert.windowLevel = .alert
            alert.makeKeyAndVisible()
            return scene.windows.first
        }

        /// The window in front is hidden, as that of a notification is when it has been read.
        static func hideFrontmost() { frontWindow()?.simulateHidden() }

        /// The user closes the scene in front.
        static func closeFrontmostScene() {
            frontWindow()?.windowScene.map { UIApplication.simulated.simulateDisconnection(of: $0) }
        }

        /// A window of another scene is hidden, and that scene closed.
        static func closeAnother() {
            let scene = UIApplication.simulated.simulateScene(.background)
            scene.windows.first?.simulateHidden()
            UIApplication.simulated.simulateDisconnection(of: scene)
        }
    #else
        /// The user closes the window in front.
        static func hideFrontmost() { frontWindow()?.simulateHidden() }
    #endif

    /// Several windows, of which exactly one is where a sheet belongs.
    static func crowd() -> ASPresentationAnchor? {
        closeAll()
        #if canImport(UIKit)
            _ = UIApplication.simulated.simulateScene(.background)
            let front = UIApplication.simulated.simulateScene(.foregroundActive, windows: 3)
            let notification = UIWindow(windowScene: front)
            notification.windowLevel = .alert
            notification.isHidden = false
            _ = UIApplication.simulated.simulateScene(.foregroundInactive)
            return front.windows[2]
        #else
            let document = NSApplication.shared.simulateWindow(key: false)
            let palette = NSApplication.shared.simulateWindow()
            palette.level = .floating
            _ = document
            return document
        #endif
    }

    /// Whether there is an app to ask for windows and background time.
    static func hasApplication() -> Bool { SystemApplication.current != nil }

    /// The window that the default finds.
    static func found() async -> ASPresentationAnchor? { try? await PresentationWindow.frontmost.found() }
}
