public import Ostiary

/// An account for a person who has not signed in yet (`POST /api/v1/auth/anonymous_bootstrap`).
public struct LogiAnonymousDevice: Sendable {
    /// An account that is this device's alone.
    public struct Account: Sendable, Hashable {
        /// The key for the vendor's `/api/v1`.
        public let key: LogiAccessKey
        /// How the key is shown.
        public let tokenType: String
        /// How long the key is good, in seconds; `nil` when the server did not say.
        public let expiresIn: Int?
        /// The account's number.
        public let userID: Int
        /// What the account is called, if anything.
        public let nickname: String?
        /// Whether the account is still nobody's.
        public let isAnonymous: Bool
    }

    private let logi: Logi
    let slot: LogiDeviceSlot

    init(_ logi: Logi, key: StoreKey) {
        self.logi = logi
        slot = LogiDeviceSlot(logi, key: key)
    }

    /// Opens the device's anonymous account, or makes one.
    ///
    /// When the server does not take the device's secret, the secret is forgotten, the identifier is kept, and the call
    /// is made once more.
    ///
    /// - Parameters:
    ///   - platform: ``LogiPlatform/iOS`` or ``LogiPlatform/macOS``.
    ///   - deviceName: What the person may recognize the device by.
    /// - Throws: `configuration` for another platform, before anything is sent; otherwise at stage `registration`.
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
        expiresIn = answer["expires_in"]?.integer
        userID = try user.number("id", at: .registration)
        nickname = user["nickname"]?.string
        self.isAnonymous = isAnonymous
    }
}

extension Logi {
    /// This device's anonymous account; keep what it returns.
    ///
    /// - Parameter key: Where the credential is kept; the key of an earlier installation goes on with its account.
    public func anonymousDevice(storedAt key: StoreKey? = nil) -> LogiAnonymousDevice {
        LogiAnonymousDevice(self, key: key ?? storeKey("anonymous"))
    }
}
