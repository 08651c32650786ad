// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(AuthenticationServices)
    import Foundation
    import Ostiary

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    /// URLs as the system brings them to an app.
    @MainActor
    enum ForwardedByTheSystem {
        /// A universal link.
        static func activity(
            _ url: URL?,
            ofType type: String = NSUserActivityTypeBrowsingWeb,
            to redirects: ForwardedRedirects
        )
            -> Bool
        {
            let activity = NSUserActivity(activityType: type)
            activity.webpageURL = url
            return redirects.handle(activity)
        }

        /// URLs of a custom scheme; what nobody took comes back.
        static func urls(_ urls: [URL], to redirects: ForwardedRedirects) -> [URL] {
            #if canImport(UIKit)
                redirects.handle(Set(urls.map(UIOpenURLContext.simulated))).map(\.url)
            #else
                redirects.handle(urls)
            #endif
        }
    }
#endif
