public import OstiaryOAuth

extension SignInClient {
    /// Makes a client from the three strings of a provider's console.
    ///
    /// - Parameters:
    ///   - issuer: The provider's issuer URL.
    ///   - clientID: The client identifier that it issued.
    ///   - redirectURI: The redirect URI that is registered there.
    ///   - authentication: The client's authentication method. Default: a public client, as an app is.
    ///   - configuration: The account, user agent, transport, store, policy and observer. Default: the platform's user
    ///     agent and ``defaultStore``.
    /// - Throws: `configuration`, with a sentence that names the fix.
    public init(
        issuer: String,
        clientID: String,
        redirectURI: String,
        authentication: ClientAuthentication = .none,
        configuration: Configuration = Configuration()
    ) throws(SignInError) {
        let client = try Client(id: clientID, redirectURI: try RedirectURI(redirectURI), authentication: authentication)
        self.init(issuer: try Issuer(issuer), client: client, configuration: configuration)
    }
}

extension SignInClient {
    /// The store of an app that names none: the keychain on Apple's platforms, and on Linux the desktop's keyring, or
    /// sealed files where no keyring is reachable at the first sign-in.
    ///
    /// On Linux the choice, the files and the locks lie in `$XDG_STATE_HOME/ostiary-apps`, by default
    /// `~/.local/state/ostiary-apps`, and the key of the files in `$XDG_CONFIG_HOME/ostiary-apps/store.key`, by default
    /// in `~/.config`. All programs of the user share them: a session is found by its issuer, client identifier and
    /// account. A sign-in fails with `storage` where neither can be written; a program that is to forget its session
    /// passes a ``MemoryStore``.
    public static var defaultStore: any SecretStore {
        #if canImport(Security)
            KeychainStore()
        #elseif os(Linux)
            DefaultStore.ofThisAccount
        #else
            MemoryStore()
        #endif
    }
}
