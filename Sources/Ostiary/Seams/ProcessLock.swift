import OstiaryCompatibility
public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Allows one holder at a time to use a session, among all processes that share its store.
///
/// A refresh token that rotates is valid once. If an app and its widget, or two commands at a terminal, used the same
/// one, a strict server would treat the second use as theft and end the session. So a process takes the lock before a
/// refresh, then reads the store again.
///
/// `ProcessLockCheck` of the testing kit checks every promise of a lock. Only one holder has it at a time. A lock of a
/// dead process is free. A caller waits for no longer than it allows. A lock is free when its release has returned, so
/// that it can be released while the system suspends the process.
public protocol ProcessLock: Sendable {
    /// Acquires a lock, and waits while another caller holds it.
    ///
    /// Only `patience` ends the wait. Cancelling the task does not: a cancelled sign-out still removes the stored
    /// session.
    ///
    /// - Parameters:
    ///   - name: The name of the lock, with any characters.
    ///   - patience: The longest wait, 0 or more; a lock waits for at most a year.
    /// - Returns: The hold; the lock is free again when it ends.
    /// - Throws: `locked` when another holder has it for longer; `unavailable` when it cannot be taken at all, as in a
    ///   folder that cannot be written.
    func acquire(_ name: String, waiting patience: Duration) async throws(StorageFailure) -> ProcessLockHold

    /// Returns the owner of a lock; `nil` when it is free, or when the lock does not know its owner.
    ///
    /// - Throws: `unavailable` when the lock cannot be examined.
    func owner(of name: String) throws(StorageFailure) -> ProcessLockHold.Owner?
}

/// A lock that is held until it is released, or until its last reference is gone.
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

extension ProcessLockHold {
    /// The owner of a lock, for a user who wonders why a process waits.
    public struct Owner: Sendable, Hashable {
        /// The process.
        public var processID: Int32
        /// The time when the lock was taken, by the clock of the device.
        public var since: Date

        /// Describes an owner.
        public init(processID: Int32, since: Date) {
            self.processID = processID
            self.since = since
        }

        /// Returns the time for which the owner has had the lock; not less than 0, whatever the clock did meanwhile.
        public func age(at now: Date) -> Duration {
            Duration(boundedSeconds: max(0, now.timeIntervalSince(since)))
        }
    }
}

/// An action that runs once, at its first call.
final class ReleaseOnce: Sendable {
    private let action: Lock<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Lock(action) }

    func callAsFunction() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
