public import Ostiary

/// This device's anonymous account, in the calls of the vendor's document, over ``LogiAnonymousDevice``.
public struct LogiAuthAnonymousDevice: Sendable {
    private let device: LogiAnonymousDevice
    private let platform: LogiPlatform

    /// Makes one; keep it: calls are joined within one value and its copies.
    ///
    /// - Throws: ``LogiAuthError/invalidConfiguration(_:)``.
    public init(config: LogiAuthConfig, on platform: LogiAuthPlatform = .current) throws(LogiAuthError) {
        device = try platform.door(config).anonymousDevice()
        self.platform = platform.platform
    }

    /// Opens the device's anonymous account, or makes one.
    ///
    /// - Throws: ``LogiAuthError/invalidConfiguration(_:)`` on a platform without such accounts, otherwise what went
    ///   wrong.
    public func bootstrap(deviceName: String? = nil) async throws(LogiAuthError) -> LogiAnonymousDevice.Account {
        do throws(SignInError) {
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

    /// Makes a device key; keep it: concurrent calls are joined within one value and its copies.
    ///
    /// - Parameter keychainService: The Keychain service in which an earlier installation stored the credential; `nil`
    ///   for the usual one.
    /// - Throws: ``LogiAuthError/invalidConfiguration(_:)``.
    public init(
        config: LogiAuthConfig,
        keychainService: String? = nil,
        on platform: LogiAuthPlatform = .current
    ) throws(LogiAuthError) {
        device = try platform.door(config).deviceExchange(storedAt: keychainService.map { StoreKey($0) })
        self.platform = platform.platform
    }

    /// Exchanges an access token for a device-bound key.
    ///
    /// - Throws: The error; ``LogiAuthError/failed(_:)`` holds the server's refusal.
    public func exchange(oauthJWT: Secret) async throws(LogiAuthError) -> LogiAccessKey {
        do throws(SignInError) {
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
