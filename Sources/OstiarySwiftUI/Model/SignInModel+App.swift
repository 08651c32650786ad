#if canImport(SwiftUI) && canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import Ostiary

    @available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
    extension SignInModel where Account == Session {
        /// Makes the model of an app that signs in at one issuer, with the system's sheet at the app's own window.
        ///
        /// On a Mac a redirect URI on loopback is for the default browser, which needs no window: for an app of the menu bar.
        ///
        /// - Parameters:
        ///   - issuer: The provider's issuer URL.
        ///   - clientID: The client identifier that it issued.
        ///   - redirectURI: The redirect URI that is registered there.
        ///   - request: What is asked for.
        ///   - browserSession: Whose cookies the sheet has.
        ///   - store: What keeps the session. Default: the keychain.
        ///   - transport: What carries requests.
        ///   - endSession: How the provider's own session is ended at a sign-out; `nil` leaves it as it is.
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
                        userAgent: userAgent,
                        transport: transport,
                        store: store
                    ),
                    asking: request,
                    endingProviderSession: endSession
                )
            )
        }
    }
#endif
