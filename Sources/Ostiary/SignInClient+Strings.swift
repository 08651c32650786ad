public import OstiaryOAuth

extension SignInClient {
    /// Makes a client of what a provider's console shows: three strings.
    ///
    /// - Parameters:
    ///   - issuer: The provider's issuer URL.
    ///   - clientID: The client identifier that it issued.
    ///   - redirectURI: The redirect URI that is registered there.
    ///   - authentication: How the client proves who it is. Default: a public client, as an app is.
    ///   - userAgent: What shows the sign-in page. Default: the platform's.
    ///   - store: What keeps the session. Default: ``defaultStore``.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: String,
        authentication: ClientAuthentication = .none,
        userAgent: (any UserAgent)? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = SignInClient.defaultStore
    ) throws(SignInError) {
        let client = try Client(id: clientID, redirectURI: try RedirectURI(redirectURI), authentication: authentication)
        self.init(
            issuer: try Issuer(issuer),
            client: client,
            userAgent: userAgent ?? PlatformUserAgent(),
            transport: transport,
            store: store
        )
    }
}

extension SignInClient {
    /// What keeps sessions on this platform unless an app says otherwise: the keychain on Apple's, and memory elsewhere.
    public static var defaultStore: any SecretStore {
        #if canImport(Security)
            KeychainStore()
        #else
            MemoryStore()
        #endif
    }
}
