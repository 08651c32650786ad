// Apart from every import of Testing, which has an overlay for UIKit that the stand-in lacks.
#if canImport(UIKit) || canImport(AppKit)
    import Foundation
    import Ostiary

    #if canImport(UIKit)
        import UIKit
    #elseif canImport(AppKit)
        import AppKit
    #endif

    extension ForwardedRedirects {
        /// Continues an activity, as the system does for a universal link.
        func continues(_ url: URL?, ofType type: String = NSUserActivityTypeBrowsingWeb) -> Bool {
            let activity = NSUserActivity(activityType: type)
            activity.webpageURL = url
            return handle(activity)
        }
    }
#endif
