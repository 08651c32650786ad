/// Hears of changes, to store the state.
public protocol OIDAuthStateChangeDelegate: AnyObject, Sendable {
    /// Called on the main actor when the state has changed: archive it.
    @MainActor
    func didChange(_ state: OIDAuthState)
}

/// Hears of errors.
public protocol OIDAuthStateErrorDelegate: AnyObject, Sendable {
    /// Called on the main actor when the grant has ended: the user has to sign in again.
    @MainActor
    func authState(_ state: OIDAuthState, didEncounterAuthorizationError error: any Error)

    /// Called on the main actor when a refresh failed for a reason that may pass.
    @MainActor
    func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error)
}

extension OIDAuthStateErrorDelegate {
    /// Does nothing.
    @MainActor
    public func authState(_ state: OIDAuthState, didEncounterTransientError error: any Error) {}
}
