#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import OstiaryCompatibility
    import UIKit

    /// A background task of the app, which ends once: at the first call that ends it.
    @available(iOSApplicationExtension, unavailable)
    @available(visionOSApplicationExtension, unavailable)
    final class BackgroundTask: Sendable {
        private let application: UIApplication
        private let id = Lock(UIBackgroundTaskIdentifier.invalid)

        private init(of application: UIApplication) { self.application = application }

        /// Begins a task.
        ///
        /// - Parameters:
        ///   - name: The task's name, for the debugger.
        ///   - application: The app; a null one gets no background time.
        ///   - expired: Called on the main thread when the time is up, just before the task ends.
        /// - Returns: The function that ends the task; `nil` when the system grants no time.
        @MainActor
        static func begin(
            _ name: String,
            of application: UIApplication,
            expired: @escaping @Sendable () -> Void
        ) -> (@Sendable () -> Void)? {
            let task = BackgroundTask(of: application)
            // The system may suspend the app as soon as the handler has returned, and terminates it if the task has not
            // ended.
            let id = task.application.beginBackgroundTask(withName: name) {
                expired()
                task.end()
            }
            guard id != .invalid else { return nil }
            task.id.withLock { $0 = id }
            return { task.end() }
        }

        private func end() {
            let running = id.withLock { id in
                defer { id = .invalid }
                return id
            }
            guard running != .invalid else { return }
            application.endBackgroundTask(running)
        }
    }
#endif
