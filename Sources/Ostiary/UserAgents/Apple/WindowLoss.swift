#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    #if canImport(UIKit)
        import UIKit
    #endif

    /// The moment at which a window leaves the screen, and its sheet with it.
    ///
    /// The system does not report this, so a wait for the sheet would never end. On a Mac, the page is in a window of
    /// the browser, and stays.
    @MainActor
    enum WindowLoss {
        /// Observes a window until the observations are ended.
        static func observe(_ window: ASPresentationAnchor, _ lost: @escaping @Sendable () -> Void)
            -> [NotificationObservation]
        {
            #if canImport(UIKit)
                var losses: [(NSNotification.Name, UIResponder)] = [(UIWindow.didBecomeHiddenNotification, window)]
                if let scene = window.windowScene { losses.append((UIScene.didDisconnectNotification, scene)) }
                return losses.map { name, object in
                    NotificationObservation(
                        NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                            @Sendable _ in lost()
                        }
                    )
                }
            #else
                return []
            #endif
        }
    }
#endif
