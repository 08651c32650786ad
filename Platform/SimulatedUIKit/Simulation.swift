import Foundation

// What tests do to the app that no app does to itself.

extension UIApplication {
    public func simulateScene(_ state: UIScene.ActivationState, windows: Int = 1) -> UIWindowScene {
        let scene = UIWindowScene()
        scene.activationState = state
        for _ in 0..<windows { UIWindow(windowScene: scene).makeKeyAndVisible() }
        connectedScenes.insert(scene)
        return scene
    }

    public func simulateNoScenes() { connectedScenes = [] }
}

extension UIScene {
    /// Moves the scene, and tells whoever listens that it is in front.
    public func simulate(_ state: ActivationState) {
        activationState = state
        if state == .foregroundActive {
            NotificationCenter.default.post(name: Self.didActivateNotification, object: self)
        }
    }
}

extension UIOpenURLContext {
    public static func simulated(_ url: URL) -> UIOpenURLContext {
        UIOpenURLContext(url: url, options: UIScene.OpenURLOptions())
    }
}
