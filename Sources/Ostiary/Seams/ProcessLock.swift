public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Lets one at a time do something with a session, among everybody who shares its store.
///
/// A refresh token that rotates is good once. Were an app and its widget, or two commands at a terminal, to use the same
/// one, a careful server would take the second use for theft and end the session. So whoever refreshes takes the lock
/// first, then reads the store again.
///
/// What every lock promises, and `ProcessLockCheck` of the testing kit checks: nobody else has what somebody holds; what a
/// process held that died is free; nobody waits for longer than it says; a lock is free when its release has returned, so
/// that it can be given back while the system suspends the process.
public protocol ProcessLock: Sendable {
    /// Takes a lock, and waits while another caller holds it.
    ///
    /// Patience alone ends the wait. Cancelling the task does not: a cancelled sign-out still removes what is stored.
    ///
    /// - Parameters:
    ///   - name: Which lock; it may hold any character.
    ///   - patience: How long to wait, in seconds, 0 or more; infinity waits for as long as it takes, or for a year.
    /// - Throws: `locked` when somebody else has it for longer; `unavailable` when it cannot be taken at all, as in a folder
    ///   that cannot be written.
    func take(_ name: String, waiting patience: Double) async throws(StorageFailure) -> ProcessLockHold

    /// Who has a lock; `nil` when nobody has it, or when the lock cannot tell.
    ///
    /// - Throws: `unavailable` when it cannot be looked at.
    func owner(of name: String) throws(StorageFailure) -> ProcessLockOwner?
}

/// A lock that is held until it is released, or until nobody has this any more.
public final class ProcessLockHold: Sendable {
    private let ending: ReleaseOnce

    /// Makes a hold.
    ///
    /// - Parameter release: Gives the lock back; called once.
    public init(releasing release: @escaping @Sendable () -> Void) { ending = ReleaseOnce(release) }

    deinit { ending.callAsFunction() }

    /// Gives the lock back; a second call does nothing.
    public func release() { ending() }
}

/// Who holds a lock, for a person who wonders what everybody is waiting for.
public struct ProcessLockOwner: Sendable, Hashable {
    /// The process.
    public var processID: Int32
    /// When the lock was taken, by the clock of the device.
    public var since: Date

    /// Describes an owner.
    public init(processID: Int32, since: Date) {
        self.processID = processID
        self.since = since
    }

    /// For how long it has had the lock, in seconds; not less than 0, whatever the clock did meanwhile.
    public func age(at now: Date) -> Double { max(0, now.timeIntervalSince(since)) }
}
