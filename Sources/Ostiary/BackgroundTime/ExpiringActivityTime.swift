#if canImport(UIKit)
    import Dispatch
    import Foundation
    import UIKit

    /// Time of an app extension: an activity lasts as long as a block that the system calls is running.
    ///
    /// The system calls the block on a thread of its own, and a second time beside the first when the time is up; when there
    /// is no time at all, it calls it once and says that it is up.
    public struct ExpiringActivityTime: BackgroundTime {
        /// Asks the system.
        public init() {}

        /// Asks for time; `nil` when the system gives none.
        public func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
            let granted = OneAnswer<BackgroundTimeHold?>()
            let over = DispatchSemaphore(value: 0)
            let isUp = ReleaseOnce(expired)
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpiring in
                guard isExpiring else {
                    if granted.set(BackgroundTimeHold { over.signal() }) { over.wait() }
                    return
                }
                // The only word is that there is no time; a later one is that it is up.
                guard !granted.set(nil) else { return }
                isUp()
                over.signal()
            }
            return await granted.value()
        }
    }
#endif
