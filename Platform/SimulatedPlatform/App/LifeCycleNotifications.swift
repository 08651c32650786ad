import Foundation

/// The names that the system posts under, as their constants' documentation gives them.
public enum LifeCycleNotifications {
    public static let sceneDidActivate = NSNotification.Name("UISceneDidActivateNotification")
    public static let sceneDidDisconnect = NSNotification.Name("UISceneDidDisconnectNotification")
    public static let windowDidBecomeHidden = NSNotification.Name("UIWindowDidBecomeHiddenNotification")
    public static let applicationDidBecomeActive = NSNotification.Name("NSApplicationDidBecomeActiveNotification")
    public static let protectedDataDidBecomeAvailable = NSNotification.Name(
        "UIApplicationProtectedDataDidBecomeAvailable"
    )
    public static let protectedDataWillBecomeUnavailable = NSNotification.Name(
        "UIApplicationProtectedDataWillBecomeUnavailable"
    )
}
