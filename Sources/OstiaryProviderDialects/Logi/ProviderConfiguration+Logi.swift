import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension ProviderConfiguration {
    /// The vendor's system with an app, a partner's backend and two users, ready for development.
    ///
    /// - Parameters:
    ///   - issuer: The URL that replaces `https://api.1pass.dev`.
    ///   - password: The password of all users.
    ///   - backendSecret: The secret of the partner's backend, ``LogiDevelopment/backendClientID``; `nil` leaves that
    ///     client out.
    ///   - redirectURIs: The redirect URIs of the app. Default: its own scheme, a claimed https URL and loopback.
    ///   - options: The behaviors of the dialect.
    /// - Returns: The configuration.
    public static func logi(
        issuer: Issuer,
        password: PasswordHash,
        backendSecret: Secret? = nil,
        redirectURIs: [RedirectURI] = LogiDevelopment.redirectURIs,
        options: LogiDialect.Options = LogiDialect.Options()
    ) -> ProviderConfiguration {
        let scopes: [Scope] = [.openID, .profileBasic, .email, .profileWrite, .offlineAccess]
        let app = RegisteredClient(
            id: LogiDevelopment.clientID,
            name: "Example app",
            redirectURIs: redirectURIs,
            allowedScopes: scopes,
            grantTypes: [.authorizationCode, .refreshToken, .deviceCode],
            requiresConsent: false
        )
        let backend = backendSecret.map { secret in
            RegisteredClient(
                id: LogiDevelopment.backendClientID,
                name: "Example app with a backend",
                authenticationMethod: .clientSecretPost(SecretDigest(of: secret)),
                redirectURIs: redirectURIs,
                allowedScopes: scopes,
                requiresConsent: false
            )
        }
        return ProviderConfiguration(
            issuer: issuer,
            name: "logi",
            clients: [app] + (backend.map { [$0] } ?? []),
            users: [
                ProviderUser(
                    name: "mina",
                    passwordHash: password,
                    subject: "8c1f0a52-mina",
                    claims: [
                        "name": "Mina", "email": "mina@example.com", "email_verified": true,
                        "identity_verified_level": 2, "anonymous": false,
                    ]
                ),
                ProviderUser(
                    name: "jun",
                    passwordHash: password,
                    subject: "5b7e9d31-jun",
                    claims: [
                        "name": "Jun", "email": "jun@example.com", "email_verified": false,
                        "identity_verified_level": 0, "anonymous": false, "previously_anonymous": true,
                    ]
                ),
            ],
            additionalScopes: [
                ProviderScope(.profileBasic, sentence: "See your name and picture", claims: ["name", "picture"]),
                ProviderScope(.profileWrite, sentence: "Change your account"),
            ],
            signingAlgorithms: [.rs256],
            dialect: LogiDialect(options)
        )
    }
}

/// The names in `ProviderConfiguration.logi(issuer:password:backendSecret:redirectURIs:options:)`.
public enum LogiDevelopment {
    /// The app: a public client.
    public static let clientID = "logi_" + String(repeating: "a", count: 32)
    /// The partner's backend: a confidential client.
    public static let backendClientID = "logi_" + String(repeating: "b", count: 32)
    /// The redirect URIs of the app: its own scheme, a claimed https URL, and loopback.
    public static let redirectURIs: [RedirectURI] = [
        "myapp://oauth/1pass/callback", "com.example.myapp://callback", "https://app.example.com/oauth/1pass/callback",
        "http://127.0.0.1/callback",
    ].compactMap { try? RedirectURI($0) }
}
