/// Asks the system to let a refresh end before it suspends the app.
///
/// Some systems stop an app that is not looked at, and end one that then holds a lock in a folder it shares. So a refresh
/// takes its lock only within such a time, and gives the lock back when the time is up; what was sent then is settled by
/// the journal when the app goes on.
public protocol BackgroundTime: Sendable {
    /// Asks for time.
    ///
    /// - Parameters:
    ///   - reason: What for, for the system's logs.
    ///   - expired: Called when the time is up, at most once; the lock is given back before it returns.
    /// - Returns: The time, which ends when it is released; `nil` when the system gives none: nothing is begun then.
    func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold?
}

/// Time that the system has given.
public final class BackgroundTimeHold: Sendable {
    private let ending: ReleaseOnce

    /// Makes a hold.
    ///
    /// - Parameter end: Tells the system that the time is not needed any more; called once.
    public init(ending end: @escaping @Sendable () -> Void) { ending = ReleaseOnce(end) }

    deinit { ending() }

    /// Gives the rest of the time back; a second call does nothing.
    public func release() { ending() }
}

/// For systems that suspend nobody: Linux, and a Mac's own apps.
public struct UnlimitedTime: BackgroundTime {
    /// Asks nobody.
    public init() {}

    /// Time without end.
    public func begin(_ reason: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTimeHold? {
        BackgroundTimeHold {}
    }
}
