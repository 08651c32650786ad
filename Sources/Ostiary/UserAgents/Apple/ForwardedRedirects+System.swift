#if canImport(UIKit) || canImport(AppKit)
    public import Foundation
    #if canImport(UIKit) && !os(watchOS)
        public import UIKit
    #endif

    extension ForwardedRedirects {
        /// Passes the link of an activity to the sign-in that awaits it.
        ///
        /// For `scene(_:continue:)`, `application(_:continue:restorationHandler:)` and `onContinueUserActivity`.
        ///
        /// - Returns: Whether a sign-in took it; every other activity is the app's own.
        public func handle(_ activity: NSUserActivity) -> Bool {
            guard activity.activityType == NSUserActivityTypeBrowsingWeb, let url = activity.webpageURL else {
                return false
            }
            return handle(url)
        }

        /// Passes URLs to the sign-ins that await them, for AppKit's `application(_:open:)`.
        ///
        /// - Returns: The URLs that no sign-in took, for the app itself.
        public func handle(_ urls: [URL]) -> [URL] { urls.filter { !handle($0) } }
    }

    #if canImport(UIKit) && !os(watchOS)
        extension ForwardedRedirects {
            /// Passes the URLs that a scene is opened with to the sign-ins that await them.
            ///
            /// For `scene(_:openURLContexts:)` and the connection options of `scene(_:willConnectTo:options:)`.
            ///
            /// - Returns: The contexts that no sign-in took, for the app itself.
            @MainActor
            public func handle(_ contexts: Set<UIOpenURLContext>) -> Set<UIOpenURLContext> {
                contexts.filter { !handle($0.url) }
            }
        }
    #endif
#endif
