public import Ostiary

/// A key of this device for a signed-in user (`POST /api/v1/me/device_keys/exchange`).
public struct LogiDeviceExchange: Sendable {
    private let logi: Logi
    private let slot: LogiDeviceSlot

    init(_ logi: Logi, key: StoreKey) {
        self.logi = logi
        slot = LogiDeviceSlot(logi, key: key, secretIsOnlyCredential: false)
    }

    /// Exchanges a session's access token for a device-bound key.
    ///
    /// - Throws: `signInRequired` when the session has ended; at stage `registration`
    ///   `refused(device_claimed_by_other_user)` when the device belongs to another user, and everything is kept;
    ///   `refused(rate_limited)` after ten in an hour.
    public func key(for session: Session, on platform: LogiPlatform) async throws(SignInError) -> LogiAccessKey {
        try await key(for: try await session.accessToken(), on: platform)
    }

    /// Exchanges an access token for a device-bound key.
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

    /// Returns the server's identifier of this device; `nil` until the server has sent one.
    ///
    /// - Throws: `storage` when it cannot be read.
    public func storedDeviceRecordID() async throws(SignInError) -> String? { try await slot.record() }

    /// Continues the device of an earlier installation, whose credential another SDK kept.
    ///
    /// - Parameters:
    ///   - device: The device's identifier, such as its `device_uuid`.
    ///   - secret: The secret that the server sent once.
    ///   - record: The server's identifier of the device, if it is known.
    /// - Returns: Whether it was stored; `false` when a device is known already, which is kept.
    /// - Throws: `configuration` for an empty identifier, `storage` when nothing could be stored.
    @discardableResult
    public func adopt(device: String, secret: Secret?, record: String? = nil) async throws(SignInError) -> Bool {
        try await slot.adopt(try LogiDeviceCredential(device: device, secret: secret, record: record))
    }

    /// Forgets this device: the next exchange makes a new one.
    ///
    /// - Throws: `storage`; it is still known then.
    public func reset() async throws(SignInError) { try await slot.reset() }
}

extension Logi {
    /// Returns this device, for users who sign in on it; keep the result.
    ///
    /// - Parameter key: The store key of the credential; that of an earlier installation continues the same device.
    /// - Returns: The device.
    public func deviceExchange(storedAt key: StoreKey? = nil) -> LogiDeviceExchange {
        LogiDeviceExchange(self, key: key ?? storeKey("device"))
    }
}
