import OstiaryCompatibility

/// Allows one sign-in at a time: a user sees one page at a time.
public final class SignInGate: Sendable {
    private let isTaken = Lock(false)

    /// Makes a gate that is free.
    public init() {}

    /// Enters the gate if it is free; a caller that has entered must call ``leave()``.
    ///
    /// - Returns: Whether the caller has entered.
    public func enter() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// Lets the next one in.
    public func leave() { isTaken.withLock { $0 = false } }
}
