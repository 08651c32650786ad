import AuthenticationServices
import Foundation
// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
import SwiftUI

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

/// One of several windows of an app: on iOS in a scene of its own. It is not in front before the user goes to it.
@MainActor
final class AppWindow {
    let window: ASPresentationAnchor
    private(set) var host: SimulatedViewHost?

    init() {
        #if canImport(UIKit)
            let scene = UIApplication.simulated.simulateScene(.background)
            self.scene = scene
            window = scene.windows[0]
        #else
            window = NSApplication.shared.simulateWindow(key: false)
            window.simulateHidden()
        #endif
    }

    #if canImport(UIKit)
        private let scene: UIWindowScene
    #endif

    var id: ObjectIdentifier { ObjectIdentifier(window) }

    /// Shows a view in the window.
    func show<Root: View>(_ root: Root) { host = SimulatedViewHost(root, window: window) }

    /// The user goes to this window, from another one if there is one.
    func comeToFront(from other: AppWindow? = nil) {
        #if canImport(UIKit)
            other?.scene.simulate(.background)
            scene.simulate(.foregroundActive)
        #else
            window.simulateShown()
            window.simulateKey()
            NSApplication.shared.simulateActivation()
        #endif
    }

    /// The user closes the window.
    func close() {
        host?.close()
        host = nil
        #if canImport(UIKit)
            UIApplication.simulated.simulateDisconnection(of: scene)
        #else
            window.simulateHidden()
        #endif
    }
}
