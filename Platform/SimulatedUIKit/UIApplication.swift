import Foundation
import SimulatedPlatform

/// documentation/uikit/uiapplication
@available(watchOS, unavailable)
@MainActor open class UIApplication: UIResponder {
    /// documentation/uikit/uiapplication/openexternalurloptionskey
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The real raw value is another: a name that is spelled out has to fail here.
        public static let universalLinksOnly = Self(rawValue: "sim.universalLinksOnly")
    }

    @available(iOSApplicationExtension, unavailable)
    public static let shared = UIApplication()
    var simulatedScenes: Set<UIScene> = []
    open var connectedScenes: Set<UIScene> {
        SimulatedDevice.shared.with { $0.windowLooks += 1 }
        return simulatedScenes
    }

    /// Opens a URL: with `universalLinksOnly` in an app that claims it or not at all, otherwise in a browser, too.
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
        if opened { for scene in simulatedScenes { scene.activationState = .background } }
        Task { @MainActor in completion?(opened) }
    }

    @available(iOSApplicationExtension, unavailable)
    open func open(_ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in
            open(url, options: options) { continuation.resume(returning: $0) }
        }
    }
}

@available(watchOS, unavailable)
extension UIApplication {
    nonisolated public static var protectedDataDidBecomeAvailableNotification: NSNotification.Name {
        LifeCycleNotifications.protectedDataDidBecomeAvailable
    }
    nonisolated public static var protectedDataWillBecomeUnavailableNotification: NSNotification.Name {
        LifeCycleNotifications.protectedDataWillBecomeUnavailable
    }

    /// Whether files and items that need an unlocked device can be read.
    public var isProtectedDataAvailable: Bool { SimulatedDevice.shared.snapshot.lock == .unlocked }
}
