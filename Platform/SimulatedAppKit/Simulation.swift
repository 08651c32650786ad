import Foundation
import SimulatedPlatform

// What tests do to the app that no app does to itself.

extension NSApplication {
    public func simulateWindow(key: Bool = true) -> NSWindow {
        let window = NSWindow()
        if key { for other in windows { other.isKeyWindow = false } }
        window.isKeyWindow = key
        window.isMainWindow = key
        windows.append(window)
        return window
    }

    public func simulateNoWindows() { windows = [] }

    /// The user comes back to the app.
    public func simulateActivation() {
        SimulatedDevice.shared.with { $0.isInAnotherApp = false }
        NotificationCenter.default.post(name: Self.didBecomeActiveNotification, object: self)
    }

    /// The user goes to another app.
    public func simulateDeactivation() { SimulatedDevice.shared.with { $0.isInAnotherApp = true } }
}

extension NSWindow {
    public func simulateHidden() { isVisible = false }
    public func simulateShown() { isVisible = true }

    /// The user closes the window, and the app lets go of it.
    public func simulateClosed() { NSApplication.shared.windows.removeAll { $0 === self } }

    /// The user goes to this window: it gets the keyboard.
    public func simulateKey() {
        for window in NSApplication.shared.windows {
            window.isKeyWindow = window === self
            window.isMainWindow = window === self
        }
    }
}
