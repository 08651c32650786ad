import Foundation
import SimulatedPlatform

/// A window of a scene.
///
/// `UIWindow()` is deprecated in iOS 26, and here at once: a window without a scene has no place for a sheet. There is
/// no `UIWindow(frame:)`.
@available(watchOS, unavailable)
@MainActor open class UIWindow: UIView {
    /// documentation/uikit/uiwindow/level-swift.struct
    public struct Level: RawRepresentable, Hashable, Sendable {
        public var rawValue: Double
        public init(rawValue: Double) { self.rawValue = rawValue }
        public static let normal = Level(rawValue: 0)
        public static let statusBar = Level(rawValue: 1000)
        public static let alert = Level(rawValue: 2000)
    }

    /// documentation/uikit/uiwindow/didbecomehiddennotification
    nonisolated public static var didBecomeHiddenNotification: NSNotification.Name {
        LifeCycleNotifications.windowDidBecomeHidden
    }

    /// A window stands in itself.
    open override var window: UIWindow? { self }
    open weak var windowScene: UIWindowScene?
    open private(set) var isKeyWindow = false
    open var isHidden = true
    open var windowLevel = Level.normal
    open var rootViewController: UIViewController?

    @available(iOS 13.0, *)
    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init()
        windowScene.simulatedWindows.append(self)
    }

    @available(*, deprecated, message: "Use init(windowScene:).")
    public override init() { super.init() }

    open func makeKeyAndVisible() {
        isHidden = false
        for other in windowScene?.simulatedWindows ?? [] { other.isKeyWindow = other === self }
        isKeyWindow = true
    }
}
