#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation

    /// One observation of the notification center.
    ///
    /// The one reviewed box: the token is an object that says nothing of concurrency, is given back once, and is only handed to
    /// the notification center, which may be called on any thread.
    final class NotificationObservation: @unchecked Sendable {
        private let token: any NSObjectProtocol

        init(_ token: any NSObjectProtocol) { self.token = token }

        func end() { NotificationCenter.default.removeObserver(token) }
    }
#endif
