import Foundation
import SimulatedPlatform

/// documentation/appkit/nsrunningapplication
open class NSRunningApplication: NSObject {}

/// documentation/appkit/nsworkspace
open class NSWorkspace: NSObject {
    /// documentation/appkit/nsworkspace/openconfiguration
    open class OpenConfiguration: NSObject {
        open var requiresUniversalLinks = false
        open var promptsUserIfNeeded = true
        open var activates = true
        public override init() { super.init() }
    }

    nonisolated(unsafe) private static let instance = NSWorkspace()
    open class var shared: NSWorkspace { instance }

    /// Opens a URL and reports on a concurrent queue
    /// (documentation/appkit/nsworkspace/open(_:configuration:completionhandler:)).
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
            state.isInAnotherApp = true
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

    /// The same for a closure that is there. The importer knows the async alternative of the one above; the compiler finds
    /// an alternative by its name only where the handler is not optional.
    @available(*, renamed: "open(_:configuration:)")
    public final func open(
        _ url: URL,
        configuration: NSWorkspace.OpenConfiguration,
        completionHandler: @escaping @Sendable (NSRunningApplication?, (any Error)?) -> Void
    ) {
        open(url, configuration: configuration, completionHandler: Optional(completionHandler))
    }

    open func open(
        _ url: URL,
        configuration: NSWorkspace.OpenConfiguration
    ) async throws -> NSRunningApplication {
        try await withCheckedThrowingContinuation { continuation in
            let completion: (@Sendable (NSRunningApplication?, (any Error)?) -> Void)? = { application, error in
                nonisolated(unsafe) let application = application
                guard let application else { return continuation.resume(throwing: error ?? CancellationError()) }
                continuation.resume(returning: application)
            }
            open(url, configuration: configuration, completionHandler: completion)
        }
    }
}
