import Synchronization

/// Lets one sign-in be open at a time: one person is shown one page.
final class SignInGate: Sendable {
    private let isOpen = Mutex(false)

    /// Whether the caller may go in; who may has to ``leave()``.
    func enter() -> Bool {
        isOpen.withLock { isOpen in
            guard !isOpen else { return false }
            isOpen = true
            return true
        }
    }

    func leave() { isOpen.withLock { $0 = false } }
}
