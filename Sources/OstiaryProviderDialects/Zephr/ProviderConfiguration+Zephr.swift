import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension ProviderConfiguration {
    /// A publisher's site and its readers, for developing against Zephr without the service.
    ///
    /// At the social providers these users can sign in: `ada` (ada@reader.example, registered, with the entitlement
    /// `premium`), `grace` (grace+news@reader.example, not registered yet), `blocked` (whose domain the site rejects).
    /// With a password: ada, and `unverified@reader.example`, whose address was never confirmed.
    ///
    /// - Parameters:
    ///   - issuer: The site's base URL.
    ///   - redirectURI: The app's redirect URI, to which the site redirects users.
    ///   - password: The password of all users, at the social providers and at the site.
    ///   - cost: The work that each guess at a password requires.
    ///   - thirdPartyRedirectURIs: The redirect URIs of `zephr-third-party`.
    ///   - random: The source of the passwords' salt.
    ///   - change: Changes the site's configuration.
    /// - Returns: The configuration.
    /// - Throws: `PasswordHash.Failure` for a password that cannot be hashed.
    public static func zephr(
        issuer: Issuer,
        redirectURI: RedirectURI,
        password: Secret,
        cost: PasswordHash.Cost = .standard,
        thirdPartyRedirectURIs: [RedirectURI] = [],
        using random: inout some RandomNumberGenerator,
        changingSite change: (inout ZephrDialect.Site) -> Void = { _ in }
    ) throws -> ProviderConfiguration {
        let hash = try PasswordHash(password, cost: cost, using: &random)
        var site = ZephrDialect.Site(redirectURI: redirectURI)
        site.passwordCost = cost
        change(&site)
        let callbacks = try site.providers.sorted().flatMap { provider in
            try ["ios", "android"].map { try RedirectURI(ZephrDialect.callback(provider, $0, at: issuer)) }
        }
        return ProviderConfiguration(
            issuer: issuer,
            name: "Zephr",
            clients: [
                RegisteredClient(
                    id: ZephrDialect.socialClientID,
                    name: "The publisher's site",
                    redirectURIs: callbacks,
                    allowedScopes: [.openID, .email],
                    grantTypes: [.authorizationCode]
                ),
                RegisteredClient(
                    id: ZephrDialect.thirdPartyClientID,
                    name: "A third party",
                    redirectURIs: thirdPartyRedirectURIs,
                    allowedScopes: thirdPartyScopes.map(\.scope) + [.offlineAccess]
                ),
            ],
            users: [
                reader("ada", "ada@reader.example", hash), reader("grace", "grace+news@reader.example", hash),
                reader("blocked", "someone@blocked.example", hash),
            ],
            additionalScopes: thirdPartyScopes,
            dialect: ZephrDialect(
                site: site,
                users: [
                    ZephrUser(
                        emailAddress: "ada@reader.example",
                        passwordHash: hash,
                        profile: ["first_name": "Ada", "newsletter": true],
                        entitlements: ["premium"]
                    ),
                    ZephrUser(
                        emailAddress: "unverified@reader.example",
                        passwordHash: hash,
                        profile: ["first_name": "Una"],
                        isVerified: false
                    ),
                ]
            )
        )
    }

    private static func reader(_ name: String, _ emailAddress: String, _ hash: PasswordHash) -> ProviderUser {
        ProviderUser(
            name: name,
            passwordHash: hash,
            subject: "reader-\(name)",
            claims: ["email": .string(emailAddress), "email_verified": true]
        )
    }

    private static let thirdPartyScopes: [ProviderScope] = [
        ProviderScope("user.account:read", sentence: "See your account", claims: ["email"]),
        ProviderScope("user.profile:read", sentence: "See your profile"),
        ProviderScope("user.profile:update", sentence: "Change your profile"),
    ]
}
