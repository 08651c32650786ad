import Foundation

/// The activity of a user, to be continued here (documentation/foundation/nsuseractivity).
///
/// Foundation's own on Apple's platforms; the Foundation of Linux has none.
open class NSUserActivity: NSObject {
    open var activityType: String
    open var title: String?
    open var webpageURL: URL?
    open var userInfo: [AnyHashable: Any]?

    public init(activityType: String) {
        self.activityType = activityType
        super.init()
    }
}

/// documentation/foundation/nsuseractivitytypebrowsingweb
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
