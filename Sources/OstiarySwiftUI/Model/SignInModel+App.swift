#if canImport(SwiftUI) && canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Ostiary

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    extension SignInModel where Account == Session {
        /// Makes a model for an app that signs in at one issuer, with the system's sheet at the app's own window.
        ///
        /// On a Mac, a redirect URI on loopback selects the default browser, which needs no window: use it in a menu
        /// bar app.
        ///
        /// - Parameters:
        ///   - issuer: The provider's issuer URL.
        ///   - clientID: The client identifier that the issuer issued.
        ///   - redirectURI: The redirect URI that is registered for the client.
        ///   - request: The authorization request to send.
        ///   - browserSession: The cookies of the sheet.
        ///   - store: The store of the session. Default: the keychain.
        ///   - transport: The HTTP transport used for every request.
        ///   - endSession: The request that ends the provider's own session at a sign-out; `nil` leaves that session as
        ///     it is.
        public convenience init(
            issuer: String,
            clientID: String,
            redirectURI: String,
            asking request: AuthorizationRequest = AuthorizationRequest(),
            browserSession: BrowserSession = .shared,
            store: any SecretStore = SignInClient.defaultStore,
            transport: any HTTPTransport = URLSessionTransport(),
            endingProviderSession endSession: EndSessionRequest? = nil
        ) {
            let window = SignInWindow()
            let userAgent = PlatformUserAgent(browserSession: browserSession, window: .views(window))
            self.init(
                window: window,
                SignInSource(
                    try SignInClient(
                        issuer: issuer,
                        clientID: clientID,
                        redirectURI: redirectURI,
                        configuration: SignInClient.Configuration(
                            userAgent: userAgent,
                            transport: transport,
                            store: store
                        )
                    ),
                    asking: request,
                    endingProviderSession: endSession
                )
            )
        }
    }
#endif
