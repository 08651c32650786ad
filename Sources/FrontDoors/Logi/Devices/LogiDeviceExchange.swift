public import Ostiary

/// A key of this device for a person who has signed in (`POST /api/v1/me/device_keys/exchange`).
public struct LogiDeviceExchange: Sendable {
    private let logi: Logi
    private let slot: LogiDeviceSlot

    init(_ logi: Logi, key: StoreKey) {
        self.logi = logi
        slot = LogiDeviceSlot(logi, key: key)
    }

    /// Trades a session's access token for a device-bound key.
    ///
    /// - Throws: `signInRequired` when the session has ended; at stage `registration`
    ///   `refused(device_claimed_by_other_user)` when the device is somebody else's, and everything is kept, and
    ///   `refused(rate_limited)` after ten in an hour.
    public func key(for session: Session, on platform: LogiPlatform) async throws(SignInError) -> LogiAccessKey {
        try await key(for: try await session.accessToken(), on: platform)
    }

    /// Trades an access token for a device-bound key.
    ///
    /// - Throws: As ``key(for:on:)-(Session,_)``.
    public func key(for accessToken: Secret, on platform: LogiPlatform) async throws(SignInError) -> LogiAccessKey {
        let logi = logi
        let answer = try await slot.answer(for: accessToken, retrying: .once) {
            (credential: LogiDeviceCredential) async throws(SignInError) -> JSONObject in
            var body: JSONObject = [
                "device_uuid": .string(credential.device), "platform": .string(platform.rawValue),
            ]
            body["device_secret"] = credential.secret.map { .string($0.reveal()) }
            let path = "/api/v1/me/device_keys/exchange"
            return try await logi.call(path, body: body, bearer: accessToken, at: .registration).success()
        }
        return try LogiAccessKey(answer, at: .registration)
    }

    /// What the server calls this device; `nil` as long as it has not said.
    ///
    /// - Throws: `storage` when it cannot be read.
    public func storedDeviceRecordID() async throws(SignInError) -> String? { try await slot.record() }

    /// Forgets this device: the next exchange makes a new one.
    ///
    /// - Throws: `storage`; it is still known then.
    public func reset() async throws(SignInError) { try await slot.reset() }
}

extension Logi {
    /// This device, for people who sign in on it; keep what it returns.
    ///
    /// - Parameter key: Where the credential is kept; that of an earlier installation goes on as the same device.
    public func deviceExchange(storedAt key: StoreKey? = nil) -> LogiDeviceExchange {
        LogiDeviceExchange(self, key: key ?? storeKey("device"))
    }
}
