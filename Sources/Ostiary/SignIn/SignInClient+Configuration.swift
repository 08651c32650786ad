public import OstiaryOAuth

extension SignInClient {
    /// The settings of a client that have a default: account, user agent, transport, store, policy and observers.
    ///
    ///     let client = try SignInClient(
    ///         issuer: "https://id.example.com", clientID: "my-app", redirectURI: "com.example.app://callback",
    ///         configuration: SignInClient.Configuration(events: { print($0) }))
    ///
    /// The issuer and the client's registration are parameters of the initializers.
    public struct Configuration: Sendable {
        /// The server's metadata, for a server that publishes none; `nil` to read it when it is needed.
        ///
        /// Its issuer is the client's: with another one each call throws `configuration` at stage `discovery`.
        public var server: AuthorizationServer?
        /// The account whose session is stored, for an app that keeps the sessions of several accounts; `nil` for one.
        public var account: String?
        /// The user agent that presents the sign-in page.
        public var userAgent: any UserAgent
        /// The HTTP transport used for every request.
        public var transport: any HTTPTransport
        /// The store of the session.
        public var store: any SecretStore
        /// The behavior of a sign-in and its session.
        public var policy: SessionPolicy
        /// The device's clocks; the server's responses correct them.
        public var clock: DeviceClock
        /// Makes a new source of secure random numbers for each request.
        public var random: @Sendable () -> any RandomNumberGenerator
        /// The lock that keeps other users of the store from refreshing at the same time.
        ///
        /// `nil` for the store's own; where it has none, one that all clients of this process share.
        public var lock: (any ProcessLock)?
        /// Keeps the system from suspending the app between a redirect and its session, and in a refresh.
        public var backgroundTime: any BackgroundTime
        /// Called for each step; it must not block.
        public var events: @Sendable (SignInEvent) -> Void

        /// Makes a configuration.
        ///
        /// - Parameters:
        ///   - server: The server's metadata, for a server that publishes none.
        ///   - account: Separates the sessions of several accounts.
        ///   - userAgent: The user agent that presents the sign-in page. Default: the platform's.
        ///   - transport: The HTTP transport used for every request. Default: `URLSession`.
        ///   - store: The store of the session. Default: ``SignInClient/defaultStore``, which is permanent; a
        ///     ``MemoryStore`` is not.
        ///   - policy: The behavior of a sign-in and its session.
        ///   - clock: The device's clocks. Default: the system's.
        ///   - random: A new source of secure random numbers for each request. Default: the operating system's.
        ///   - lock: The lock of the store's users. Default: the store's own, or one of this process.
        ///   - backgroundTime: Keeps the system from suspending the app. Default: the system's.
        ///   - events: Called for each step; it must not block. Default: no reports.
        public init(
            server: AuthorizationServer? = nil,
            account: String? = nil,
            userAgent: any UserAgent = PlatformUserAgent(),
            transport: any HTTPTransport = URLSessionTransport(),
            store: any SecretStore = SignInClient.defaultStore,
            policy: SessionPolicy = SessionPolicy(),
            clock: DeviceClock = .system,
            random: @escaping @Sendable () -> any RandomNumberGenerator = { SecureRandom() },
            lock: (any ProcessLock)? = nil,
            backgroundTime: any BackgroundTime = SystemBackgroundTime(),
            events: @escaping @Sendable (SignInEvent) -> Void = { _ in }
        ) {
            self.server = server
            self.account = account
            self.userAgent = userAgent
            self.transport = transport
            self.store = store
            self.policy = policy
            self.clock = clock
            self.random = random
            self.lock = lock
            self.backgroundTime = backgroundTime
            self.events = events
        }
    }
}
