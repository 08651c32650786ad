import Synchronization

/// Something that is to be done once, whoever asks for it first.
final class ReleaseOnce: Sendable {
    private let action: Mutex<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

    func callAsFunction() {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}
