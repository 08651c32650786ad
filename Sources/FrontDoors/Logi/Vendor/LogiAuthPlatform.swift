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
        browser: any UserAgent,
        opener: Logi.Opener? = nil,
        returning: AppReturn = .ignored,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = MemoryStore(),
        platform: LogiPlatform = .iOS,
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

    #if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
        /// The provider's own app by its universal link, the system's sheet, and the keychain.
        public static let current = LogiAuthPlatform(
            browser: PlatformUserAgent(),
            opener: AppHandoff.systemOpener,
            returning: .cancelling(),
            store: SignInClient.defaultStore,
            platform: system
        )

        #if canImport(UIKit)
            private static let system = LogiPlatform.iOS
        #else
            private static let system = LogiPlatform.macOS
        #endif
    #elseif os(Linux)
        /// The system's browser with a listener on this machine, and a store that ends with the process.
        public static let current = LogiAuthPlatform(browser: PlatformUserAgent(), platform: "linux")
    #else
        /// No browser: the user signs in on another device.
        public static let current = LogiAuthPlatform(browser: PlatformUserAgent(), store: SignInClient.defaultStore)
    #endif
}
