public import Ostiary

/// An account for a user who has not signed in yet (`POST /api/v1/auth/anonymous_bootstrap`).
public struct LogiAnonymousDevice: Sendable {
    /// An account that is this device's alone.
    public struct Account: Sendable, Hashable {
        /// The key for the vendor's `/api/v1`.
        public let key: LogiAccessKey
        /// The authorization scheme that the key is presented with.
        public let tokenType: String
        /// The lifetime of the key; `nil` when the server stated none.
        public let lifetime: Duration?
        /// The account's number.
        public let userID: Int
        /// The name of the account, if it has one.
        public let nickname: String?
        /// Whether the account is still anonymous.
        public let isAnonymous: Bool
    }

    private let logi: Logi
    let slot: LogiDeviceSlot

    init(_ logi: Logi, key: StoreKey) {
        self.logi = logi
        slot = LogiDeviceSlot(logi, key: key, secretIsOnlyCredential: true)
    }

    /// Opens the device's anonymous account, or creates one.
    ///
    /// When the server rejects the device's secret, the secret is deleted, the identifier is kept, and the call is made
    /// once more.
    ///
    /// - Parameters:
    ///   - platform: ``LogiPlatform/iOS`` or ``LogiPlatform/macOS``.
    ///   - deviceName: A name by which the user may recognize the device.
    /// - Returns: The account, with its access key.
    /// - Throws: `configuration` for another platform, before anything is sent; otherwise an error at stage
    ///   `registration`.
    public func bootstrap(on platform: LogiPlatform, deviceName: String? = nil) async throws(SignInError) -> Account {
        guard LogiPlatform.anonymous.contains(platform) else {
            throw SignInError(.registration, .configuration("Anonymous accounts are for ios and macos."))
        }
        let logi = logi
        let answer = try await slot.answer(for: Secret(platform.rawValue), retrying: .once) {
            (credential: LogiDeviceCredential) async throws(SignInError) -> JSONObject in
            var body: JSONObject = [
                "device_id": .string(credential.device), "device_platform": .string(platform.rawValue),
            ]
            body["device_secret"] = credential.secret.map { .string($0.reveal()) }
            body["device_name"] = deviceName.map { .string($0) }
            return try await logi.call("/api/v1/auth/anonymous_bootstrap", body: body, at: .registration).success()
        }
        return try Account(answer)
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

    /// Forgets this device; its account cannot be opened again.
    ///
    /// - Throws: `storage`; it is still known then.
    public func reset() async throws(SignInError) { try await slot.reset() }
}

extension LogiAnonymousDevice.Account {
    init(_ answer: JSONObject) throws(SignInError) {
        guard let user = answer["user"]?.object else { throw SignInError(.registration, .malformed("user")) }
        guard let isAnonymous = user["anonymous"]?.bool else {
            throw SignInError(.registration, .malformed("anonymous"))
        }
        key = try LogiAccessKey(answer, at: .registration)
        tokenType = answer["token_type"]?.string ?? "Bearer"
        lifetime = answer["expires_in"]?.integer.map { .seconds($0) }
        userID = try user.number("id", at: .registration)
        nickname = user["nickname"]?.string
        self.isAnonymous = isAnonymous
    }
}

extension Logi {
    /// Returns this device's anonymous account; keep the result.
    ///
    /// - Parameter key: The store key of the credential; the key of an earlier installation continues its account.
    /// - Returns: The device.
    public func anonymousDevice(storedAt key: StoreKey? = nil) -> LogiAnonymousDevice {
        LogiAnonymousDevice(self, key: key ?? storeKey("anonymous"))
    }
}
