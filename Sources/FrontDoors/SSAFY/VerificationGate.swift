import Synchronization

/// Lets one in at a time.
final class VerificationGate: Sendable {
    private let isTaken = Mutex(false)

    /// Whether nobody was in.
    func enter() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func leave() { isTaken.withLock { $0 = false } }
}
