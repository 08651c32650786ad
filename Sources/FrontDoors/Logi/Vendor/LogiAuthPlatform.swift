public import Ostiary

/// The dependencies of ``LogiAuth`` on this machine.
public struct LogiAuthPlatform: Sendable {
    /// The user agent that presents the sign-in page when the provider's app does not open.
    public var browser: any UserAgent
    /// Opens a URL in the provider's own app; `nil` where there is none.
    public var opener: Logi.Opener?
    /// The action when the user comes back from the provider's app without a response.
    public var returning: AppReturn
    /// The HTTP transport used for every request.
    public var transport: any HTTPTransport
    /// The store of the session and the device's credentials.
    public var store: any SecretStore
    /// The platform of the device, for its credentials.
    public var platform: LogiPlatform
    /// The device's clocks.
    public var clock: DeviceClock

    /// Describes a machine.
    public init(
        browser: any UserAgent = PlatformUserAgent(),
        opener: Logi.Opener? = Logi.platformOpener,
        returning: AppReturn = Logi.platformReturn,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore,
        platform: LogiPlatform = LogiAuthPlatform.thisDevice,
        clock: DeviceClock = .system
    ) {
        self.browser = browser
        self.opener = opener
        self.returning = returning
        self.transport = transport
        self.store = store
        self.platform = platform
        self.clock = clock
    }

    /// The provider's own app by its universal link where there is one, the platform's user agent, and the platform's
    /// store.
    public static let current = LogiAuthPlatform()

    #if canImport(UIKit)
        /// The platform of this device.
        public static let thisDevice = LogiPlatform.iOS
    #elseif canImport(AppKit)
        /// The platform of this device.
        public static let thisDevice = LogiPlatform.macOS
    #else
        /// The platform of this device, which has no anonymous accounts.
        public static let thisDevice: LogiPlatform = "linux"
    #endif
}
