public import Ostiary

/// What ``LogiAuth`` works with on this machine.
public struct LogiAuthPlatform: Sendable {
    /// What shows the sign-in page when the provider's app does not open.
    public var browser: any UserAgent
    /// Opens a URL in the provider's own app; `nil` where there is none.
    public var opener: Logi.Opener?
    /// What carries requests.
    public var transport: any HTTPTransport
    /// What keeps the session and the device's credentials.
    public var store: any SecretStore
    /// What the device runs, for its credentials.
    public var platform: LogiPlatform
    /// The device's clocks.
    public var clock: DeviceClock

    /// Describes a machine.
    public init(
        browser: any UserAgent,
        opener: Logi.Opener? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = MemoryStore(),
        platform: LogiPlatform = .iOS,
        clock: DeviceClock = .system
    ) {
        self.browser = browser
        self.opener = opener
        self.transport = transport
        self.store = store
        self.platform = platform
        self.clock = clock
    }

    #if os(Linux)
        /// The system's browser with a listener on this machine, and a store that ends with the process.
        public static let current = LogiAuthPlatform(browser: LoopbackBrowser(appName: "The app"), platform: "linux")
    #elseif os(macOS)
        /// The system's browser with a listener on this machine, and a store that ends with the process.
        public static let current = LogiAuthPlatform(browser: LoopbackBrowser(appName: "The app"), platform: .macOS)
    #else
        /// No browser: give one.
        public static let current = LogiAuthPlatform(browser: NoBrowser())
    #endif
}

#if !os(Linux) && !os(macOS)
    /// Says that a browser has to be given.
    private struct NoBrowser: UserAgent {
        func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
            throw SignInError(.authorization, .configuration("Give LogiAuth a browser: configure(_:on:)."))
        }
    }
#endif
