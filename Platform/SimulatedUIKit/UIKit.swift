// Stand-in for the part of UIKit this SDK uses.
import Foundation
import SimulatedPlatform

@MainActor open class UIResponder: NSObject {
    nonisolated public override init() { super.init() }
}

@MainActor open class UIViewController: UIResponder {}

@MainActor open class UIWindow: UIView {
    /// A window stands in itself.
    open override var window: UIWindow? { self }
    open weak var windowScene: UIWindowScene?
    open private(set) var isKeyWindow = false
    open var rootViewController: UIViewController?

    @available(iOS 13.0, *)
    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init()
        windowScene.simulatedWindows.append(self)
    }

    open func makeKeyAndVisible() {
        for other in windowScene?.simulatedWindows ?? [] { other.isKeyWindow = other === self }
        isKeyWindow = true
    }
}

@MainActor open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive = 0
        case foregroundInactive = 1
        case background = 2
    }
    open fileprivate(set) var activationState: ActivationState = .unattached

    @MainActor open class OpenURLOptions: NSObject {
        open fileprivate(set) var sourceApplication: String?
        fileprivate override init() { super.init() }
    }
}

@MainActor open class UIWindowScene: UIScene {
    fileprivate(set) var simulatedWindows: [UIWindow] = []
    open var windows: [UIWindow] { simulatedWindows }
    @available(iOS 15.0, *)
    open var keyWindow: UIWindow? { simulatedWindows.first { $0.isKeyWindow } }
}

@MainActor open class UIOpenURLContext: NSObject {
    public let url: URL
    public let options: UIScene.OpenURLOptions
    fileprivate init(url: URL, options: UIScene.OpenURLOptions) {
        self.url = url
        self.options = options
        super.init()
    }
}

@MainActor open class UIApplication: UIResponder {
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let universalLinksOnly = Self(rawValue: "sim.universalLinksOnly")
    }

    @available(iOSApplicationExtension, unavailable)
    public static let shared = UIApplication()
    open internal(set) var connectedScenes: Set<UIScene> = []

    @available(iOSApplicationExtension, unavailable)
    open func open(
        _ url: URL,
        options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        let linksOnly = options[.universalLinksOnly] as? Bool ?? false
        let opened = SimulatedDevice.shared.with { state -> Bool in
            let handled = url.scheme == "https" && state.universalLinkHosts.contains(url.host ?? "")
            guard handled || !linksOnly else { return false }
            state.openedURLs.append(url)
            return true
        }
        Task { @MainActor in completion?(opened) }
    }

    @available(iOSApplicationExtension, unavailable)
    open func open(_ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }
}

// MARK: Test control

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
    public func simulate(_ state: ActivationState) { activationState = state }
}

extension UIOpenURLContext {
    public static func simulated(_ url: URL) -> UIOpenURLContext {
        UIOpenURLContext(url: url, options: UIScene.OpenURLOptions())
    }
}
