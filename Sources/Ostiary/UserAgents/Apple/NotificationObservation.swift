#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    import Foundation

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
