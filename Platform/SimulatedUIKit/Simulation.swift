import Foundation
import SimulatedPlatform

// What tests do to the app that no app does to itself.

@available(watchOS, unavailable)
extension UIApplication {
    public func simulateScene(_ state: UIScene.ActivationState, windows: Int = 1) -> UIWindowScene {
        let scene = UIWindowScene()
        scene.activationState = state
        for _ in 0..<windows { UIWindow(windowScene: scene).makeKeyAndVisible() }
        simulatedScenes.insert(scene)
        return scene
    }

    public func simulateNoScenes() { simulatedScenes = [] }

    /// The user closes a scene: it is gone, with its windows and their content.
    public func simulateDisconnection(of scene: UIWindowScene) {
        simulatedScenes.remove(scene)
        scene.simulate(.unattached)
        NotificationCenter.default.post(name: UIScene.didDisconnectNotification, object: scene)
        for window in scene.windows { SimulatedDevice.shared.windowIsGone(window) }
    }
}

@available(watchOS, unavailable)
extension UIScene {
    /// Moves the scene, and notifies every listener that it is in front.
    public func simulate(_ state: ActivationState) {
        activationState = state
        if state == .foregroundActive {
            NotificationCenter.default.post(name: Self.didActivateNotification, object: self)
        }
    }
}

@available(watchOS, unavailable)
extension UIWindow {
    /// Another window's place: it leaves the screen, with its content.
    public func simulateHidden() {
        isHidden = true
        NotificationCenter.default.post(name: Self.didBecomeHiddenNotification, object: self)
        SimulatedDevice.shared.windowIsGone(self)
    }
}

@available(watchOS, unavailable)
extension UIOpenURLContext {
    public static func simulated(_ url: URL) -> UIOpenURLContext {
        UIOpenURLContext(url: url, options: UIScene.OpenURLOptions())
    }
}
