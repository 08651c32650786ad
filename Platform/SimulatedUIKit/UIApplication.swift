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

    /// The app of the process.
    ///
    /// The declaration promises one. In a process that is not an app, such as a package's tests on a simulator, it is
    /// null, and a message to null answers 0: no method of this class is dispatched by the object.
    @available(iOSApplicationExtension, unavailable)
    public static var shared: UIApplication {
        SimulatedDevice.shared.snapshot.app.isHosted ? simulated : unsafeBitCast(0, to: UIApplication.self)
    }
    /// The app, which a test scripts also while the process has none.
    public static let simulated = UIApplication()
    /// Whether the reference is null.
    nonisolated final var isNull: Bool { UInt(bitPattern: ObjectIdentifier(self)) == 0 }

    final var simulatedScenes: Set<UIScene> = []
    public final var connectedScenes: Set<UIScene> {
        if isNull { return [] }
        SimulatedDevice.shared.with { $0.windowLooks += 1 }
        return simulatedScenes
    }

    /// Opens a URL: with `universalLinksOnly` in an app that claims it or not at all, otherwise in a browser, too.
    @available(iOSApplicationExtension, unavailable)
    public final func open(
        _ url: URL,
        options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        // The system never calls back.
        if isNull { return }
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

    /// The same for a closure that is there. The importer knows the async alternative of the one above; the compiler finds
    /// an alternative by its name only where the handler is not optional.
    @available(iOSApplicationExtension, unavailable)
    @available(*, renamed: "open(_:options:)")
    public final func open(
        _ url: URL,
        options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: @escaping @MainActor @Sendable (Bool) -> Void
    ) {
        open(url, options: options, completionHandler: Optional(completion))
    }

    @available(iOSApplicationExtension, unavailable)
    public final func open(_ url: URL, options: [UIApplication.OpenExternalURLOptionsKey: Any] = [:]) async -> Bool {
        await withCheckedContinuation { continuation in
            let completion: (@MainActor @Sendable (Bool) -> Void)? = { continuation.resume(returning: $0) }
            open(url, options: options, completionHandler: completion)
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
    public final var isProtectedDataAvailable: Bool { !isNull && SimulatedDevice.shared.snapshot.lock == .unlocked }
}
