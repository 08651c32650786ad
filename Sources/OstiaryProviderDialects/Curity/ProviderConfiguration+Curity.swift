import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension ProviderConfiguration {
    /// A Curity Identity Server for development, configured as in the mobile samples.
    ///
    /// Besides the clients that register themselves, it has `mobile-dcr-client`, with which a user's sign-in obtains an
    /// initial access token. If there is a secret for it, it also has `dcr-service`, which obtains one without a user.
    ///
    /// - Parameters:
    ///   - issuer: Ends in `/oauth/v2/oauth-anonymous` at the samples' server.
    ///   - users: The users who can sign in.
    ///   - serviceSecret: The secret of `dcr-service`; `nil` leaves that client out.
    ///   - dialect: The policy for registration.
    /// - Returns: The configuration.
    /// - Throws: `configuration` for an invalid redirect URI, which none of the built-in ones is.
    public static func curity(
        issuer: Issuer,
        users: [ProviderUser],
        serviceSecret: Secret? = nil,
        dialect: CurityDialect = CurityDialect()
    ) throws(SignInError) -> ProviderConfiguration {
        var clients = [
            RegisteredClient(
                id: "mobile-dcr-client",
                name: "Registration of the app",
                redirectURIs: [
                    try RedirectURI("io.curity.client:/callback"), try RedirectURI("io.curity.dcrclient:/callback"),
                    try RedirectURI("http://127.0.0.1/callback"),
                ],
                allowedScopes: [CurityDialect.registrationScope],
                grantTypes: [.authorizationCode],
                requiresConsent: false
            )
        ]
        if let serviceSecret {
            clients.append(
                RegisteredClient(
                    id: "dcr-service",
                    name: "Registration of apps",
                    authenticationMethod: .clientSecretBasic(SecretDigest(of: serviceSecret)),
                    redirectURIs: [],
                    allowedScopes: [CurityDialect.registrationScope],
                    grantTypes: [.clientCredentials]
                )
            )
        }
        let isClosed = dialect.nonTemplatized == .disabled && dialect.templates.allSatisfy { $0.access == .disabled }
        return ProviderConfiguration(
            issuer: issuer,
            name: "Curity Identity Server",
            clients: clients,
            users: users,
            additionalScopes: [ProviderScope(CurityDialect.registrationScope, sentence: "Register this app")],
            signingAlgorithms: [.rs256, .es256],
            lifetimes: Lifetimes(accessToken: .seconds(900), refreshToken: dialect.refreshTokenLifetime),
            registration: isClosed
                ? .closed
                : RegistrationPolicy(
                    .open,
                    rotation: [.accessTokenOnRead, .accessTokenOnUpdate, .secretOnRead, .secretOnUpdate]
                ),
            dialect: dialect
        )
    }
}
