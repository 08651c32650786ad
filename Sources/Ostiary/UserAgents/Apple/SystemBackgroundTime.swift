#if canImport(UIKit)
    import Dispatch
    import Foundation
    import UIKit
#endif

/// Time from the system that this runs on: a background task of an app, an expiring activity of an app extension, and no
/// limit where nothing is suspended.
public struct SystemBackgroundTime: BackgroundTime {
    /// Asks the system.
    public init() {}

    /// Asks for time; `nil` when the system gives none.
    public func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
        #if canImport(UIKit)
            #if !os(watchOS) && !os(tvOS)
                if let application = await SystemApplication.current {
                    return await application.beginBackgroundTask(reason, expired: expired).map(BackgroundTimeHold.init)
                }
            #endif
            return await Self.expiringActivity(reason, expired: expired)
        #else
            return await UnlimitedTime().begin(reason, expired: expired)
        #endif
    }

    #if canImport(UIKit)
        /// An activity lasts as long as a block that the system calls is running, on a thread of the system's.
        static func expiringActivity(
            _ reason: String,
            expired: @escaping @Sendable () -> Void
        ) async -> BackgroundTimeHold? {
            let granted = OneAnswer<BackgroundTimeHold?>()
            let over = DispatchSemaphore(value: 0)
            let isUp = ReleaseOnce(expired)
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpiring in
                guard isExpiring else {
                    if granted.set(BackgroundTimeHold { over.signal() }) { over.wait() }
                    return
                }
                // The first word is that there is no time at all, or else the last that it is up.
                if !granted.set(nil) {
                    isUp()
                    over.signal()
                }
            }
            return await granted.value()
        }
    #endif
}
