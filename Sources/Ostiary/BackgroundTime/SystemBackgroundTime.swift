/// Background time from the system: a background task in an app, and an expiring activity in an app extension.
///
/// Other processes have no limit, since the system does not suspend them: on a Mac, on Linux, and where the process is
/// neither an app nor an extension, such as a package's tests on a simulator.
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
