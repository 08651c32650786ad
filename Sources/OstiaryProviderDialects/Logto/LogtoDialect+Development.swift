import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension ProviderConfiguration {
    /// A Logto tenant for development: a native app, a third-party app, two APIs, three organizations and two users.
    ///
    /// Alice is an admin of `acme`, and a member of `vault`, which requires a second factor that she lacks; Bob belongs
    /// to no organization. The app's identifier is `logto-app`, the third party's `logto-third-party`.
    ///
    /// - Parameters:
    ///   - issuer: The tenant's endpoint followed by `/oidc`.
    ///   - passwordHash: The password of both users.
    ///   - dialect: The tenant's organizations and behavior. Default: those described here.
    /// - Returns: The configuration.
    /// - Throws: `configuration` for an invalid redirect URI, which none of the built-in ones is.
    public static func logto(
        issuer: Issuer,
        passwordHash: PasswordHash,
        dialect: LogtoDialect = .development
    ) throws(SignInError) -> ProviderConfiguration {
        let redirects = [
            try RedirectURI("io.logto.app://callback"), try RedirectURI("io.logto://callback"),
            try RedirectURI("https://app.example.com/callback"), try RedirectURI("http://127.0.0.1/callback"),
            try RedirectURI("http://[::1]/callback"),
        ]
        let ends = [
            try RedirectURI("io.logto.app://signed-out"), try RedirectURI("http://127.0.0.1/signed-out"),
            try RedirectURI("http://127.0.0.1/callback"), try RedirectURI("http://[::1]/callback"),
        ]
        let own: [Scope] = ["read", "write", "shopping:read", "shopping:write", "store:read", "store:write", "manage"]
        let vendor: [Scope] = [
            "custom_data", "identities", "roles", LogtoDialect.organizationsScope, "urn:logto:scope:organization_roles",
            "urn:logto:scope:sessions",
        ]
        func app(_ id: String, _ name: String) -> RegisteredClient {
            RegisteredClient(
                id: id,
                name: name,
                redirectURIs: redirects,
                postLogoutRedirectURIs: ends,
                allowedScopes: [.openID, .profile, .email, "phone", "address", .offlineAccess] + vendor + own,
                grantTypes: [.authorizationCode, .refreshToken, .tokenExchange],
                requiresConsent: false
            )
        }
        return ProviderConfiguration(
            issuer: issuer,
            name: "Logto for development",
            clients: [app("logto-app", "My app"), app("logto-third-party", "Another company's app")],
            users: people(passwordHash),
            additionalScopes: (vendor + own).map { ProviderScope($0, sentence: "Use \($0.rawValue)") },
            signingAlgorithms: [.es384],
            lifetimes: Lifetimes(
                accessToken: .seconds(3600),
                refreshToken: .seconds(14 * 86_400),
                idToken: .seconds(3600),
                loginSession: .seconds(14 * 86_400)
            ),
            resources: [
                ProviderResource(
                    identifier: "https://shopping.your-app.com/api",
                    name: "Shopping",
                    scopes: ["shopping:read", "shopping:write", "read", "write"]
                ),
                ProviderResource(
                    identifier: "https://store.your-app.com/api",
                    name: "Store",
                    scopes: ["store:read", "store:write", "read", "write"]
                ),
            ],
            dialect: dialect
        )
    }

    private static func people(_ passwordHash: PasswordHash) -> [ProviderUser] {
        [
            ProviderUser(
                name: "alice",
                passwordHash: passwordHash,
                subject: "user-alice",
                claims: [
                    "name": "Alice Liddell", "username": "alice", "picture": .null,
                    "created_at": .whole(1_715_000_000_123), "updated_at": .whole(1_715_000_000_456),
                    "email": "alice@example.com", "email_verified": true,
                    "phone_number": "+4915112345678", "phone_number_verified": false,
                    "custom_data": ["theme": "dark", "beta": true, "level": 1, "tags": ["a", .null]],
                    "identities": ["github": ["userId": "4711", "details": ["login": "alice"]]],
                    "sso_identities": [], "roles": ["shopper"], "organizations": ["acme", "vault"],
                    "organization_roles": ["acme:admin", "vault:guest"],
                ]
            ),
            ProviderUser(
                name: "bob",
                passwordHash: passwordHash,
                subject: "user-bob",
                claims: ["name": "Bob", "username": "bob", "roles": [], "organizations": [], "organization_roles": []]
            ),
        ]
    }
}

extension LogtoDialect {
    /// The organizations of `ProviderConfiguration.logto(issuer:passwordHash:dialect:)`.
    public static let development = LogtoDialect(
        organizations: [
            Organization(id: "acme", name: "Acme", roles: ["admin": ["manage", "read"], "guest": []]),
            Organization(id: "vault", name: "Vault", roles: ["guest": ["read"]], requiresMFA: true),
            Organization(id: "others", name: "Others"),
        ],
        roles: ["shopper": ["read", "shopping:read", "shopping:write", "store:read"]],
        thirdPartyApps: ["logto-third-party": ["others"]]
    )
}
