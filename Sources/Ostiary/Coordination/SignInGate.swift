import Synchronization

/// Lets one sign-in at a time through: one person is shown one page.
public final class SignInGate: Sendable {
    private let isTaken = Mutex(false)

    /// Makes a gate that nobody is in.
    public init() {}

    /// Lets the caller in when nobody is; who got in has to ``leave()``.
    ///
    /// - Returns: Whether the caller is in.
    public func enter() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// Lets the next one in.
    public func leave() { isTaken.withLock { $0 = false } }
}
