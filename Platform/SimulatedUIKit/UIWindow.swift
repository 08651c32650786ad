import Foundation

/// A window of a scene.
///
/// There is no initializer without a scene: `UIWindow()` and `UIWindow(frame:)` are deprecated in iOS 26, and a window in no
/// scene is no place for a sheet.
@MainActor open class UIWindow: UIView {
    /// documentation/uikit/uiwindow/level-swift.struct
    public struct Level: RawRepresentable, Hashable, Sendable {
        public var rawValue: Double
        public init(rawValue: Double) { self.rawValue = rawValue }
        public static let normal = Level(rawValue: 0)
        public static let statusBar = Level(rawValue: 1000)
        public static let alert = Level(rawValue: 2000)
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

    open func makeKeyAndVisible() {
        isHidden = false
        for other in windowScene?.simulatedWindows ?? [] { other.isKeyWindow = other === self }
        isKeyWindow = true
    }
}
