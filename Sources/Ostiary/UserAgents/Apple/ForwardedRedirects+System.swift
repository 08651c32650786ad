#if canImport(UIKit) || canImport(AppKit)
    public import Foundation
    #if canImport(UIKit) && !os(watchOS)
        public import UIKit
    #endif

    extension ForwardedRedirects {
        /// Brings the link that an activity continues to the sign-in that it answers.
        ///
        /// For `scene(_:continue:)`, `application(_:continue:restorationHandler:)` and `onContinueUserActivity`.
        ///
        /// - Returns: Whether a sign-in took it; the app does with any other activity what it likes.
        public func handle(_ activity: NSUserActivity) -> Bool {
            guard activity.activityType == NSUserActivityTypeBrowsingWeb, let url = activity.webpageURL else {
                return false
            }
            return handle(url)
        }

        /// Brings URLs to the sign-ins that they answer, for AppKit's `application(_:open:)`.
        ///
        /// - Returns: Those that nobody took; the app does with them what it likes.
        public func handle(_ urls: [URL]) -> [URL] { urls.filter { !handle($0) } }
    }

    #if canImport(UIKit) && !os(watchOS)
        extension ForwardedRedirects {
            /// Brings the URLs that a scene is opened with to the sign-ins that they answer, for
            /// `scene(_:openURLContexts:)` and the connection options of `scene(_:willConnectTo:options:)`.
            ///
            /// - Returns: Those that nobody took; the app does with them what it likes.
            @MainActor
            public func handle(_ contexts: Set<UIOpenURLContext>) -> Set<UIOpenURLContext> {
                contexts.filter { !handle($0.url) }
            }
        }
    #endif
#endif
