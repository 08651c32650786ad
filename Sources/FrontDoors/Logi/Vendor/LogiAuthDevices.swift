public import Ostiary

/// This device's anonymous account, in the calls of the vendor's document, over ``LogiAnonymousDevice``.
public struct LogiAuthAnonymousDevice: Sendable {
    private let device: LogiAnonymousDevice
    private let platform: LogiPlatform
    private let earlier: LogiKeychainCredential

    /// Makes one; keep it: calls are joined within one value and its copies.
    ///
    /// The device that the vendor's SDK kept in the keychain service `dev.1pass.LogiAuth.anonymous.<clientId>` is
    /// continued.
    ///
    /// - Throws: ``LogiAuthError/invalidConfiguration(_:)``.
    public init(config: LogiAuthConfig, on platform: LogiAuthPlatform = .current) throws(LogiAuthError) {
        device = try platform.door(config).anonymousDevice()
        self.platform = platform.platform
        earlier = .anonymousDevice(inService: "dev.1pass.LogiAuth.anonymous.\(config.clientId)")
    }

    /// Opens the device's anonymous account, or makes one.
    ///
    /// - Throws: ``LogiAuthError/invalidConfiguration(_:)`` on a platform without such accounts, otherwise what went
    ///   wrong.
    public func bootstrap(deviceName: String? = nil) async throws(LogiAuthError) -> LogiAnonymousDevice.Account {
        do throws(SignInError) {
            if let known = earlier.read() {
                try await device.adopt(device: known.device, secret: known.secret)
            }
            return try await device.bootstrap(on: platform, deviceName: deviceName)
        } catch {
            throw LogiAuthError(error)
        }
    }

    /// Forgets this device; its account cannot be opened again.
    ///
    /// - Throws: ``LogiAuthError/storageFailed(_:)``.
    public func reset() async throws(LogiAuthError) {
        do throws(SignInError) { try await device.reset() } catch { throw LogiAuthError(error) }
    }
}

/// A key of this device for the signed-in user, in the calls of the vendor's document, over ``LogiDeviceExchange``.
public struct LogiDeviceKey: Sendable {
    private let device: LogiDeviceExchange
    private let platform: LogiPlatform
    private let earlier: LogiKeychainCredential

    /// Makes a device key; keep it: concurrent calls are joined within one value and its copies.
    ///
    /// - Parameters:
    ///   - config: The configuration of the client.
    ///   - keychainService: The keychain service in which the vendor's SDK kept the device's credential; its three
    ///     items are read once, before the first exchange, and left in place. Default:
    ///     `dev.1pass.LogiAuth.device.<clientId>`. No other platform than Apple's has such items.
    ///   - platform: The parts that the SDK takes from the platform.
    /// - Throws: ``LogiAuthError/invalidConfiguration(_:)``.
    public init(
        config: LogiAuthConfig,
        keychainService: String? = nil,
        on platform: LogiAuthPlatform = .current
    ) throws(LogiAuthError) {
        device = try platform.door(config).deviceExchange()
        self.platform = platform.platform
        earlier = .deviceKey(inService: keychainService ?? "dev.1pass.LogiAuth.device.\(config.clientId)")
    }

    /// Exchanges an access token for a device-bound key.
    ///
    /// - Throws: The error; ``LogiAuthError/failed(_:)`` holds the server's refusal.
    public func exchange(oauthJWT: Secret) async throws(LogiAuthError) -> LogiAccessKey {
        do throws(SignInError) {
            if let known = earlier.read() {
                try await device.adopt(device: known.device, secret: known.secret, record: known.record)
            }
            return try await device.key(for: oauthJWT, on: platform)
        } catch {
            throw LogiAuthError(error)
        }
    }

    /// Returns the server's identifier of this device; `nil` until the server has sent one.
    ///
    /// - Throws: ``LogiAuthError/storageFailed(_:)``.
    public func storedDeviceRecordID() async throws(LogiAuthError) -> String? {
        do throws(SignInError) { return try await device.storedDeviceRecordID() } catch { throw LogiAuthError(error) }
    }

    /// Forgets this device: the next exchange makes a new one.
    ///
    /// - Throws: ``LogiAuthError/storageFailed(_:)``.
    public func reset() async throws(LogiAuthError) {
        do throws(SignInError) { try await device.reset() } catch { throw LogiAuthError(error) }
    }
}

extension LogiAuthPlatform {
    /// Makes a front door with these dependencies.
    func door(_ config: LogiAuthConfig) throws(LogiAuthError) -> Logi {
        do throws(SignInError) {
            let configuration = try config.checked()
            return try Logi(
                configuration,
                browser: browser,
                opener: opener,
                returning: returning,
                transport: transport,
                store: store,
                clock: clock
            )
        } catch {
            throw LogiAuthError(error)
        }
    }
}
