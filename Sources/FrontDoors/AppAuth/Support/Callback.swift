/// Calls a callback on the main actor, as AppAuth calls all of its callbacks.
func onMain(_ call: @escaping @MainActor @Sendable () -> Void) {
    Task { @MainActor in call() }
}
