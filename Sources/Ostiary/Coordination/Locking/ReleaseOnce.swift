import OstiaryCompatibility

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
