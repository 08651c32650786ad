/// Requests time from the system, so that a refresh can end before the app is suspended.
///
/// Some systems suspend an app in the background, and terminate one that then holds a lock in a shared folder. So a
/// refresh takes its lock only within such a time, and releases the lock when the time is up. The journal settles the
/// unfinished request when the app continues.
public protocol BackgroundTime: Sendable {
    /// Requests time.
    ///
    /// - Parameters:
    ///   - reason: The purpose, for the system's logs.
    ///   - expired: Called when the time is up, at most once; the lock is released before it returns.
    /// - Returns: The time, which ends when it is released; `nil` when the system grants none, and then nothing is
    ///   begun.
    func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold?
}

/// Time that the system has given.
public final class BackgroundTimeHold: Sendable {
    private let ending: ReleaseOnce

    /// Makes a hold.
    ///
    /// - Parameter end: Reports to the system that the time is no longer needed; called once.
    public init(ending end: @escaping @Sendable () -> Void) { ending = ReleaseOnce(end) }

    deinit { ending() }

    /// Gives the rest of the time back; a second call does nothing.
    public func release() { ending() }
}

/// For systems that suspend no process: Linux, and the apps of macOS.
struct UnlimitedTime: BackgroundTime {
    /// Makes a value that requests nothing.
    init() {}

    /// Time without end.
    func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
        BackgroundTimeHold {}
    }
}
