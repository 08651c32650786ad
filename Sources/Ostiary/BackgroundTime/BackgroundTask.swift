#if canImport(UIKit) && !os(watchOS) && !os(tvOS)
    import OstiaryCompatibility
    import UIKit

    /// One background task of the app's: it ends once, by whoever is first.
    @available(iOSApplicationExtension, unavailable)
    @available(visionOSApplicationExtension, unavailable)
    final class BackgroundTask: Sendable {
        private let application: UIApplication
        private let id = Lock(UIBackgroundTaskIdentifier.invalid)

        private init(of application: UIApplication) { self.application = application }

        /// Begins one.
        ///
        /// - Parameters:
        ///   - application: The app, which is there: a null one gives no time.
        ///   - expired: Called on the main thread when the time is up; the task has ended right after it.
        /// - Returns: What ends it; `nil` when the system gives no time.
        @MainActor
        static func begin(
            _ name: String,
            of application: UIApplication,
            expired: @escaping @Sendable () -> Void
        ) -> (@Sendable () -> Void)? {
            let task = BackgroundTask(of: application)
            // The system may suspend the app as soon as the handler has returned, and ends it if the task has not ended.
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
