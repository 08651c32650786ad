#if canImport(UIKit)
    import Dispatch
    import Foundation
    import Synchronization
    import UIKit

    /// Background time as the system gives it to apps and to their extensions alike.
    ///
    /// (`ProcessInfo.performExpiringActivity(withReason:using:)`: its block keeps the process going until it returns, and is
    /// called a second time when the time is up.)
    public struct ExpiringActivity: BackgroundTime {
        /// Asks the process that it is made in.
        public init() {}

        /// Asks for time; `nil` when the process is about to be suspended.
        public func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
            await withCheckedContinuation { continuation in
                let activity = Activity(continuation, expired)
                ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { activity.run(isOver: $0) }
            }
        }
    }

    private final class Activity: Sendable {
        private enum Phase {
            case asking(CheckedContinuation<BackgroundTimeHold?, Never>)
            case running
            case over
        }

        private let phase: Mutex<Phase>
        private let expired: @Sendable () -> Void
        private let end = DispatchSemaphore(value: 0)

        init(_ continuation: CheckedContinuation<BackgroundTimeHold?, Never>, _ expired: @escaping @Sendable () -> Void) {
            phase = Mutex(.asking(continuation))
            self.expired = expired
        }

        func run(isOver: Bool) {
            let before = phase.withLock { phase in
                defer { if isOver { phase = .over } else if case .asking = phase { phase = .running } }
                return phase
            }
            switch (before, isOver) {
            case (.asking(let continuation), true): continuation.resume(returning: nil)
            case (.running, true): expired()
            case (.asking(let continuation), false):
                continuation.resume(returning: BackgroundTimeHold { self.finish() })
                // Until this returns the process goes on.
                end.wait()
            default: break
            }
        }

        private func finish() {
            phase.withLock { $0 = .over }
            end.signal()
        }
    }
#endif

/// What a client asks for time when its app names nobody.
func platformBackgroundTime() -> any BackgroundTime {
    #if canImport(UIKit)
        ExpiringActivity()
    #else
        UnlimitedTime()
    #endif
}
