public import Ostiary

/// A device's own key, without a signed-in user (`POST /api/v1/devices`).
public struct LogiDeviceBootstrap: Sendable {
    private let logi: Logi
    private let slot: LogiDeviceSlot

    init(_ logi: Logi, key: StoreKey) {
        self.logi = logi
        slot = LogiDeviceSlot(logi, key: key, secretIsOnlyCredential: true)
    }

    /// Registers this device, or proves that it is the registered one; returns a new key in both cases.
    ///
    /// The secret, which the server sends only once, is stored before this returns, and never returned.
    ///
    /// - Throws: At stage `registration`: `server(401)` or `refused(invalid_device_secret)` when the server rejects the
    ///   device's secret, which is then deleted. ``reset()`` makes a new device; an anonymous user must then sign in.
    public func run(on platform: LogiPlatform) async throws(SignInError) -> LogiAccessKey {
        let logi = logi
        let answer = try await slot.answer(for: Secret(platform.rawValue), retrying: .never) {
            (credential: LogiDeviceCredential) async throws(SignInError) -> JSONObject in
            var body: JSONObject = [
                "device_uuid": .string(credential.device), "platform": .string(platform.rawValue),
            ]
            body["device_secret"] = credential.secret.map { .string($0.reveal()) }
            return try await logi.call("/api/v1/devices", body: body, at: .registration).success()
        }
        return try LogiAccessKey(answer, at: .registration)
    }

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

    /// Forgets this device.
    ///
    /// - Throws: `storage`; it is still known then.
    public func reset() async throws(SignInError) { try await slot.reset() }
}

extension Logi {
    /// Returns this device, which the server knows without a signed-in user.
    ///
    /// Keep the result: concurrent calls are joined within one value and its copies.
    ///
    /// - Parameter key: The store key of the credential. Default: by issuer and client, apart from the session.
    /// - Returns: The device.
    public func deviceBootstrap(storedAt key: StoreKey? = nil) -> LogiDeviceBootstrap {
        LogiDeviceBootstrap(self, key: key ?? storeKey("bootstrap"))
    }

    /// A place in the store for this issuer and client, apart from the session's.
    func storeKey(_ purpose: String) -> StoreKey {
        let parts = ["logi", purpose, configuration.tokenIssuer.description, configuration.clientID]
        return StoreKey(parts.map(FormURLEncoding.escape).joined(separator: "/"))
    }
}
