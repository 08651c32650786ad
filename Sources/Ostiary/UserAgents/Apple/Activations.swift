#if canImport(UIKit) && !os(watchOS)
    import Foundation
    import UIKit
#elseif canImport(AppKit)
    import AppKit
    import Foundation
#endif

#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    /// The moments at which the app becomes active.
    enum Activations {
        /// Returns a stream of the activations from now on.
        static func stream() -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let observation = NotificationObservation(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { @Sendable _ in
                    continuation.yield()
                }
            )
            continuation.onTermination = { @Sendable _ in observation.end() }
            return stream
        }

        /// Waits for the first activation.
        ///
        /// - Returns: Whether it came in time, and before the task was cancelled.
        static func first(of stream: AsyncStream<Void>, within time: Duration) async -> Bool {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for await _ in stream { return true }
                    return false
                }
                group.addTask {
                    try? await Task.sleep(for: time)
                    return false
                }
                defer { group.cancelAll() }
                return await group.next() ?? false
            }
        }

        private static var name: NSNotification.Name {
            #if canImport(UIKit)
                UIScene.didActivateNotification
            #else
                NSApplication.didBecomeActiveNotification
            #endif
        }
    }

    /// An observation of the notification center.
    ///
    /// The conformance is unchecked because the token's type does not declare `Sendable`. The token is only passed to
    /// the notification center, once, and any thread may call that.
    final class NotificationObservation: @unchecked Sendable {
        private let token: any NSObjectProtocol

        init(_ token: any NSObjectProtocol) { self.token = token }

        func end() { NotificationCenter.default.removeObserver(token) }
    }
#endif
