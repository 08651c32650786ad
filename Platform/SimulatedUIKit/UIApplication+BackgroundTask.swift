import Foundation
import SimulatedPlatform

/// documentation/uikit/uibackgroundtaskidentifier
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

extension UIApplication {
    /// Asks for time in the background; the handler is called on the main thread, and the app's life ends unless the task
    /// does by then.
    @available(iOSApplicationExtension, unavailable)
    nonisolated public final func beginBackgroundTask(
        withName taskName: String?,
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        if isNull { return UIBackgroundTaskIdentifier(rawValue: 0) }
        let id = SimulatedDevice.shared.beginTask(taskName ?? "") {
            MainActor.assumeIsolated { handler?() }
        }
        return id.map(UIBackgroundTaskIdentifier.init(rawValue:)) ?? .invalid
    }

    @available(iOSApplicationExtension, unavailable)
    nonisolated public final func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
        if isNull { return }
        SimulatedDevice.shared.endTask(identifier.rawValue)
    }
}
