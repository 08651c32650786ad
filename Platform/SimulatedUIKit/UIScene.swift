import Foundation
import SimulatedPlatform

/// documentation/uikit/uiscene
@available(watchOS, unavailable)
@MainActor open class UIScene: UIResponder {
    /// documentation/uikit/uiscene/activationstate-swift.enum
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive = 0
        case foregroundInactive = 1
        case background = 2
    }

    /// documentation/uikit/uiscene/didactivatenotification
    nonisolated public static var didActivateNotification: NSNotification.Name {
        LifeCycleNotifications.sceneDidActivate
    }

    /// documentation/uikit/uiscene/diddisconnectnotification
    nonisolated public static var didDisconnectNotification: NSNotification.Name {
        LifeCycleNotifications.sceneDidDisconnect
    }

    open internal(set) var activationState: ActivationState {
        get {
            SimulatedDevice.shared.with { $0.windowLooks += 1 }
            return simulatedState
        }
        set { simulatedState = newValue }
    }
    private var simulatedState = ActivationState.unattached

    /// documentation/uikit/uiscene/openurloptions
    @MainActor open class OpenURLOptions: NSObject {
        open internal(set) var sourceApplication: String?
        override init() { super.init() }
    }
}

/// documentation/uikit/uiwindowscene
@available(watchOS, unavailable)
@MainActor open class UIWindowScene: UIScene {
    var simulatedWindows: [UIWindow] = []
    open var windows: [UIWindow] { simulatedWindows }
    @available(iOS 15.0, *)
    open var keyWindow: UIWindow? { simulatedWindows.first { $0.isKeyWindow } }
}

/// documentation/uikit/uiopenurlcontext
@available(watchOS, unavailable)
@MainActor open class UIOpenURLContext: NSObject {
    public let url: URL
    public let options: UIScene.OpenURLOptions

    init(url: URL, options: UIScene.OpenURLOptions) {
        self.url = url
        self.options = options
        super.init()
    }
}
