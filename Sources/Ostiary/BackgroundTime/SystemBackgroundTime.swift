/// Background time from the system: a background task in an app, and an expiring activity in an app extension.
///
/// There is no limit on a Mac, on Linux, and in a process that is neither an app nor an extension, such as a package's
/// tests on a simulator: the system suspends none of these.
public struct SystemBackgroundTime: BackgroundTime {
    /// Makes a value that requests nothing yet.
    public init() {}

    /// Requests time; `nil` when the system grants none.
    public func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
        #if canImport(UIKit)
            #if !os(watchOS) && !os(tvOS)
                if let application = await SystemApplication.current {
                    return await application.beginBackgroundTask(reason, expired: expired).map(BackgroundTimeHold.init)
                }
                guard SystemApplication.isExtension else {
                    return await UnlimitedTime().begin(reason, expired: expired)
                }
            #endif
            return await ExpiringActivityTime().begin(reason, expired: expired)
        #else
            return await UnlimitedTime().begin(reason, expired: expired)
        #endif
    }
}
