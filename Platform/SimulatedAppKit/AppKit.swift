// Stand-in for the part of AppKit this SDK uses.
import Foundation
import SimulatedPlatform

@MainActor open class NSResponder: NSObject {
    nonisolated public override init() { super.init() }
}

@MainActor open class NSWindow: NSResponder {
    open fileprivate(set) var isKeyWindow = false
    open fileprivate(set) var isMainWindow = false
    open fileprivate(set) var isVisible = true
}

@MainActor open class NSApplication: NSResponder {
    public static let shared = NSApplication()
    open internal(set) var windows: [NSWindow] = []
    open var keyWindow: NSWindow? { windows.first { $0.isKeyWindow } }
    open var mainWindow: NSWindow? { windows.first { $0.isMainWindow } }
}

open class NSRunningApplication: NSObject {}

open class NSWorkspace: NSObject {
    open class OpenConfiguration: NSObject {
        open var requiresUniversalLinks = false
        open var promptsUserIfNeeded = true
        open var activates = true
        public override init() { super.init() }
    }

    nonisolated(unsafe) private static let instance = NSWorkspace()
    open class var shared: NSWorkspace { instance }

    open func open(
        _ url: URL,
        configuration: NSWorkspace.OpenConfiguration,
        completionHandler: (@Sendable (NSRunningApplication?, (any Error)?) -> Void)? = nil
    ) {
        let linksOnly = configuration.requiresUniversalLinks
        let opened = SimulatedDevice.shared.with { state -> Bool in
            let handled = url.scheme == "https" && state.universalLinkHosts.contains(url.host ?? "")
            guard handled || !linksOnly else { return false }
            state.openedURLs.append(url)
            return true
        }
        DispatchQueue.global().async {
            if opened {
                completionHandler?(NSRunningApplication(), nil)
            } else {
                completionHandler?(nil, NSError(domain: NSCocoaErrorDomain, code: 256))
            }
        }
    }
}

// MARK: Test control

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
}

extension NSWindow {
    public func simulateHidden() { isVisible = false }
}
