import OstiaryJOSE

/// Faults of device authorization (RFC 8628).
extension Scenario {
    /// The first three polls return `authorization_pending`, whatever the user decided.
    public static let devicePending = polls("device-authorization-pending") { $0 <= 3 ? .pending : nil }
    /// The first poll has `authorization_pending`, the second `slow_down`.
    public static let deviceSlowDown = polls("device-slow-down") { $0 == 1 ? .pending : $0 == 2 ? .slowDown : nil }
    /// The second poll finds the server busy for 7 seconds.
    public static let deviceUnavailable = polls("device-unavailable") {
        $0 == 1 ? .pending : $0 == 2 ? .unavailable(retryAfter: .seconds(7)) : nil
    }
    /// The third poll and every later one returns that the user denied the request.
    public static let deviceDenied = polls("device-access-denied") { $0 < 3 ? .pending : .denied }
    /// The third poll, and every one after it, says that the code is too old.
    public static let deviceExpired = polls("device-expired-token") { $0 < 3 ? .pending : .expired }
    /// The codes come without `device_code`.
    public static let missingDeviceCode = codes("device-missing-device-code") { $0["device_code"] = nil }
    /// The codes come without `user_code`.
    public static let missingUserCode = codes("device-missing-user-code") { $0["user_code"] = nil }
    /// The codes come without `verification_uri`.
    public static let missingVerificationURI = codes("device-missing-verification-uri") {
        $0["verification_uri"] = nil
    }
    /// The codes come without `verification_uri_complete`, which is optional.
    public static let missingCompleteVerificationURI = codes("device-missing-verification-uri-complete") {
        $0["verification_uri_complete"] = nil
    }
    /// The codes come without `expires_in`.
    public static let missingDeviceLifetime = codes("device-missing-expires-in") { $0["expires_in"] = nil }
    /// The codes come without `interval`, which is optional: it is 5 then.
    public static let missingPollInterval = codes("device-missing-interval") { $0["interval"] = nil }

    private static func polls(
        _ name: String,
        _ answer: @escaping @Sendable (_ poll: Int) -> DevicePollAnswer?
    ) -> Scenario {
        Scenario(name: name) { $0.devicePoll = answer }
    }

    private static func codes(_ name: String, _ change: @escaping @Sendable (inout JSONObject) -> Void) -> Scenario {
        Scenario(name: name) { $0.deviceAuthorization = change }
    }
}
