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
    ///   - store: What keeps the session. Default: memory, until the process ends.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: String,
        authentication: ClientAuthentication = .none,
        userAgent: (any UserAgent)? = nil,
        transport: any HTTPTransport = URLSessionTransport(),
        store: any SecretStore = MemoryStore()
    ) throws(SignInError) {
        let client = try Client(id: clientID, redirectURI: try RedirectURI(redirectURI), authentication: authentication)
        let shown: any UserAgent
        if let userAgent { shown = userAgent } else { shown = try platformUserAgent() }
        self.init(
            issuer: try Issuer(issuer),
            client: client,
            userAgent: shown,
            transport: transport,
            store: store
        )
    }
}

/// The user agent that a platform has of its own.
private func platformUserAgent() throws(SignInError) -> any UserAgent {
    #if os(Linux) || os(macOS)
        return LoopbackBrowser(appName: "the app")
    #else
        throw SignInError(
            .authorization,
            .configuration("Give a user agent: there is no default on this platform yet.")
        )
    #endif
}
