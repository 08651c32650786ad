/// Time from the system that this runs on: a background task of an app, an expiring activity of an app extension, and no
/// limit where nothing is suspended: on a Mac, on Linux, and in a process that is neither an app nor an extension, such as
/// the tests of a package on a simulator.
public struct SystemBackgroundTime: BackgroundTime {
    /// Asks the system.
    public init() {}

    /// Asks for time; `nil` when the system gives none.
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
