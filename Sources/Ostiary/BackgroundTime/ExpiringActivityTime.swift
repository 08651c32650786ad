#if canImport(UIKit)
    import Dispatch
    import Foundation
    import UIKit

    /// Background time of an app extension: an activity continues until the block that the system calls returns.
    ///
    /// The system calls the block on a thread of its own. When the time is up, it calls the block a second time, beside
    /// the first. When there is no time at all, it calls the block once, as expired.
    package struct ExpiringActivityTime: BackgroundTime {
        /// Makes a value that requests nothing yet.
        package init() {}

        /// Requests time; `nil` when the system grants none.
        package func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
            let granted = OneAnswer<BackgroundTimeHold?>()
            let over = DispatchSemaphore(value: 0)
            let isUp = ReleaseOnce(expired)
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpiring in
                guard isExpiring else {
                    if granted.set(BackgroundTimeHold { over.signal() }) { over.wait() }
                    return
                }
                // A first call as expired means that there is no time; a later one, that the time is up.
                guard !granted.set(nil) else { return }
                isUp()
                over.signal()
            }
            return await granted.value()
        }
    }
#endif
