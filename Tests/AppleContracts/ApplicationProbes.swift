// Pins the type of every declaration of an application's life that the adapters use. The same text compiles against the
// stand-ins on Linux and against the real SDK on a Mac; a line that fails there is a stand-in that lies.
#if canImport(UIKit) && !os(watchOS)
    import Foundation
    import UIKit

    @MainActor enum ApplicationProbes {
        static func backgroundTasks(_ application: UIApplication) {
            let expired: (@MainActor @Sendable () -> Void)? = nil
            let id: UIBackgroundTaskIdentifier = application.beginBackgroundTask(
                withName: "probe",
                expirationHandler: expired
            )
            let _: Bool = id == .invalid
            application.endBackgroundTask(id)
        }

        /// Ending belongs to no actor: a hold is released on any thread.
        nonisolated static func ending(_ application: UIApplication, _ id: UIBackgroundTaskIdentifier) {
            application.endBackgroundTask(id)
        }

        nonisolated static func expiringActivity() {
            let block: @Sendable (Bool) -> Void = { _ in }
            ProcessInfo.processInfo.performExpiringActivity(withReason: "probe", using: block)
        }

        static func windows(_ window: UIWindow, _ scene: UIWindowScene) {
            let _: UIWindow.Level = window.windowLevel
            let _: Bool = window.windowLevel == .normal
            let _: Bool = window.isHidden
            let _: Bool = window.isKeyWindow
            let _: [UIWindow] = scene.windows
            let _: UIScene.ActivationState = scene.activationState
        }

        nonisolated static func notifications() {
            let _: [NSNotification.Name] = [
                UIScene.didActivateNotification,
                UIApplication.protectedDataDidBecomeAvailableNotification,
                UIApplication.protectedDataWillBecomeUnavailableNotification,
            ]
        }

        static func restrictions(_ application: UIApplication) {
            let _: Bool = UIAccessibility.isGuidedAccessEnabled
            let _: Bool = application.isProtectedDataAvailable
        }

        static func links(_ activity: NSUserActivity, _ contexts: Set<UIOpenURLContext>) {
            let _: String = activity.activityType
            let _: URL? = activity.webpageURL
            let _: String = NSUserActivityTypeBrowsingWeb
            let _: [URL] = contexts.map(\.url)
        }
    }
#elseif canImport(AppKit)
    import AppKit
    import Foundation

    @MainActor enum ApplicationProbes {
        static func windows(_ window: NSWindow) {
            let _: NSWindow.Level = window.level
            let _: Bool = window.level == .normal
            let _: Bool = window.isVisible
            let _: NSWindow? = NSApplication.shared.keyWindow
            let _: NSWindow? = NSApplication.shared.mainWindow
            let _: [NSWindow] = NSApplication.shared.windows
        }

        nonisolated static func notifications() {
            let _: NSNotification.Name = NSApplication.didBecomeActiveNotification
        }

        nonisolated static func links(_ activity: NSUserActivity) {
            let _: String = activity.activityType
            let _: URL? = activity.webpageURL
            let _: String = NSUserActivityTypeBrowsingWeb
        }
    }
#endif
