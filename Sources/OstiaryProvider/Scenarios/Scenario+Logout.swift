import OstiaryOAuth

/// Faults of the redirect that follows a sign-out (OpenID Connect RP-Initiated Logout section 3).
extension Scenario {
    /// The redirect has another `state`.
    public static let endSessionInvalidState = Scenario(name: "oidcc-client-test-rp-init-logout-other-state") {
        $0.endSessionResponse = { $0[.state] = ($0[.state] ?? "") + "_INVALID" }
    }
    /// The redirect lacks `state`.
    public static let endSessionMissingState = Scenario(name: "oidcc-client-test-rp-init-logout-no-state") {
        $0.endSessionResponse = { $0[.state] = nil }
    }
}
