import OstiaryJOSE
public import OstiaryOAuth
public import OstiaryProvider

extension ProviderConfiguration {
    /// A partner's two clients and three users, for developing against SSAFY Verify without the service.
    ///
    /// The clients: `ssafy-app` (public) and `ssafy-partner` (confidential, authenticates with `client_secret` in the
    /// form). The users: `jiwoo`, of cohort 15; `minseo`, of the staff, whose cohort is 0; `guest`, who is not a
    /// member.
    ///
    /// - Parameters:
    ///   - issuer: The URL of the provider.
    ///   - password: The password of all users, entered where the service would send a code.
    ///   - clientSecret: The secret of `ssafy-partner`, for the partner's backend.
    ///   - cost: The work that each guess at the password requires.
    ///   - dialect: The dialect. Default: without changes.
    ///   - random: The source of the password's salt.
    /// - Returns: The configuration.
    /// - Throws: `PasswordHash.Failure` for a password that cannot be hashed.
    public static func ssafy(
        issuer: Issuer,
        password: Secret,
        clientSecret: Secret,
        cost: PasswordHash.Cost = .standard,
        dialect: SSAFYDialect = SSAFYDialect(),
        using random: inout some RandomNumberGenerator
    ) throws -> ProviderConfiguration {
        let hash = try PasswordHash(password, cost: cost, using: &random)
        let redirectURIs = try [
            "https://partner.example.com/ios/ssafy/callback", "partnerapp://ssafy/callback",
            "http://127.0.0.1/ssafy/callback", "http://[::1]/ssafy/callback",
        ].map { try RedirectURI($0) }
        func client(_ id: String, _ method: RegisteredClient.AuthenticationMethod) -> RegisteredClient {
            RegisteredClient(
                id: id,
                name: "Partner",
                authenticationMethod: method,
                redirectURIs: redirectURIs,
                allowedScopes: [
                    "ssafy.verify", "ssafy.affiliation", "ssafy.name", "ssafy.profile_image", "ssafy.mattermost_id",
                ],
                grantTypes: [.authorizationCode]
            )
        }
        return ProviderConfiguration(
            issuer: issuer,
            name: "SSAFY Verify",
            clients: [
                client("ssafy-app", .none), client("ssafy-partner", .clientSecretPost(SecretDigest(of: clientSecret))),
            ],
            users: people(hash),
            additionalScopes: scopesOfSSAFY,
            dialect: dialect
        )
    }

    private static func people(_ hash: PasswordHash) -> [ProviderUser] {
        [
            ProviderUser(
                name: "jiwoo",
                passwordHash: hash,
                subject: "member-1",
                claims: [
                    "ssafy_cohort": "15", "ssafy_campus": "서울 캠퍼스", "ssafy_region": "서울", "name": "김지우",
                    "picture": "/images/members/1.png", "ssafy_track": "java", "ssafy_track_name": "Java",
                    "ssafy_role": "student", "ssafy_member_role": "student", "ssafy_is_staff": false,
                    "ssafy_mattermost_user_id": "mm-jiwoo",
                ]
            ),
            ProviderUser(
                name: "minseo",
                passwordHash: hash,
                subject: "member-2",
                claims: [
                    "ssafy_cohort": "0", "ssafy_campus": "대전 캠퍼스", "ssafy_region": "대전", "name": "이민서",
                    "ssafy_role": "staff", "ssafy_member_role": "staff", "ssafy_is_staff": true,
                    "ssafy_mattermost_user_id": "mm-minseo",
                ]
            ),
            ProviderUser(name: "guest", passwordHash: hash, subject: "guest", claims: [:]),
        ]
    }

    private static let scopesOfSSAFY: [ProviderScope] = [
        ProviderScope("ssafy.verify", sentence: "Know that you are a member of SSAFY"),
        ProviderScope(
            "ssafy.affiliation",
            sentence: "See your cohort, campus and region",
            claims: ["ssafy_cohort", "ssafy_campus", "ssafy_region"]
        ),
        ProviderScope("ssafy.name", sentence: "See your name", claims: ["name"]),
        ProviderScope("ssafy.profile_image", sentence: "See your picture", claims: ["picture"]),
        ProviderScope("ssafy.track", sentence: "See your track", claims: ["ssafy_track", "ssafy_track_name"]),
        ProviderScope(
            "ssafy.role",
            sentence: "See what you are at SSAFY",
            claims: ["ssafy_role", "ssafy_member_role", "ssafy_role_name", "ssafy_team_code", "ssafy_is_staff"]
        ),
        ProviderScope("ssafy.mattermost_id", sentence: "See your Mattermost id", claims: ["ssafy_mattermost_user_id"]),
    ]
}
