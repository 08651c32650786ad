public import OstiaryJOSE
public import OstiaryOAuth

/// What a provider serves: its name, its clients and its people.
public struct ProviderConfiguration: Sendable {
    /// The issuer identifier; every endpoint lies below it.
    public var issuer: Issuer
    /// The name that pages show.
    public var name: String
    /// The registered clients.
    public var clients: [RegisteredClient]
    /// The people who can sign in.
    public var users: [ProviderUser]
    /// Scopes besides `openid`, `profile`, `email`, `address`, `phone` and `offline_access`, with the sentence that the
    /// consent page shows for each.
    public var additionalScopes: [ProviderScope]
    /// What tokens are signed with, the default first; a key is made for each when the provider starts.
    public var signingAlgorithms: [SignatureAlgorithm]
    /// Keys to sign with instead of made ones; one that everybody knows, say from a repository, protects nothing.
    public var signingKeys: [SigningKey]
    /// Who access tokens are for; the issuer itself when empty (RFC 9068 section 2.2).
    public var accessTokenAudience: [String]
    /// How long things last.
    public var lifetimes: Lifetimes
    /// How strict it is about DPoP (RFC 9449).
    public var dpop: DPoPPolicy
    /// How strict it is about clients that are attested.
    public var attestation: AttestationPolicy
    /// What else access tokens can be for, when a client asks for it (RFC 8707).
    public var resources: [ProviderResource]
    /// Whether every client has to push its authorization requests (RFC 9126 section 5).
    public var requiresPushedAuthorizationRequests: Bool
    /// Whose ways it has; ``StandardDialect`` for its own.
    public var dialect: any Dialect
    /// The manners of a provider in the field; ``ProviderManners/strict`` for its own.
    public var manners: ProviderManners
    /// Who may register clients while the provider runs; nobody unless told otherwise.
    public var registration: RegistrationPolicy

    /// How long things last, in seconds.
    public struct Lifetimes: Sendable, Hashable {
        /// Of an authorization code: at most 60, which is the default (FAPI 2.0 Security Profile).
        public var authorizationCode: Double {
            didSet { authorizationCode = min(authorizationCode, 60) }
        }
        /// Of an access token: 900 unless told otherwise.
        public var accessToken: Double
        /// Of a grant with refresh tokens, from the sign-in on, however often they rotate: 30 days unless told otherwise.
        public var refreshToken: Double
        /// For how long after its first use a refresh token may be used again, by a client that lost the answer: 0 unless told
        /// otherwise, which takes a second use for theft at once (RFC 9700 section 4.14.2).
        public var refreshTokenReuse: Double
        /// Of an ID token: 300 unless told otherwise.
        public var idToken: Double
        /// Of a person's login at the provider: 8 hours unless told otherwise.
        public var loginSession: Double
        /// Of a page that waits for the person: 30 minutes unless told otherwise.
        public var interaction: Double
        /// Of a pushed authorization request, until it is opened: 60 unless told otherwise (RFC 9126 section 2.2).
        public var pushedRequest: Double
        /// Of the codes with which a device waits for the person: 600 unless told otherwise (RFC 8628 section 3.2).
        public var deviceCode: Double

        /// Makes lifetimes.
        public init(
            authorizationCode: Double = 60,
            accessToken: Double = 900,
            refreshToken: Double = 30 * 86_400,
            refreshTokenReuse: Double = 0,
            idToken: Double = 300,
            loginSession: Double = 8 * 3600,
            interaction: Double = 1800,
            pushedRequest: Double = 60,
            deviceCode: Double = 600
        ) {
            self.authorizationCode = min(authorizationCode, 60)
            self.accessToken = accessToken
            self.refreshToken = refreshToken
            self.refreshTokenReuse = refreshTokenReuse
            self.idToken = idToken
            self.loginSession = loginSession
            self.interaction = interaction
            self.pushedRequest = pushedRequest
            self.deviceCode = deviceCode
        }
    }

    /// Makes a configuration.
    public init(
        issuer: Issuer,
        name: String = "Ostiary",
        clients: [RegisteredClient],
        users: [ProviderUser],
        additionalScopes: [ProviderScope] = [],
        signingAlgorithms: [SignatureAlgorithm] = [.rs256, .es256],
        signingKeys: [SigningKey] = [],
        accessTokenAudience: [String] = [],
        lifetimes: Lifetimes = Lifetimes(),
        dpop: DPoPPolicy = DPoPPolicy(),
        attestation: AttestationPolicy = AttestationPolicy(),
        resources: [ProviderResource] = [],
        requiresPushedAuthorizationRequests: Bool = false,
        registration: RegistrationPolicy = .closed,
        dialect: any Dialect = StandardDialect(),
        manners: ProviderManners = .strict
    ) {
        self.issuer = issuer
        self.name = name
        self.clients = clients
        self.users = users
        self.additionalScopes = additionalScopes
        self.signingAlgorithms = signingAlgorithms
        self.signingKeys = signingKeys
        self.accessTokenAudience = accessTokenAudience
        self.lifetimes = lifetimes
        self.dpop = dpop
        self.attestation = attestation
        self.resources = resources
        self.requiresPushedAuthorizationRequests = requiresPushedAuthorizationRequests
        self.registration = registration
        self.dialect = dialect
        self.manners = manners
    }
}

extension ProviderConfiguration {
    /// Every scope that the provider knows.
    var scopes: [ProviderScope] { ProviderScope.standard + additionalScopes }

    /// Every algorithm that a client asks for or that tokens are signed with by default, the default first.
    var algorithms: [SignatureAlgorithm] {
        let wanted =
            signingAlgorithms + clients.flatMap { [$0.idTokenAlgorithm, $0.userInfoAlgorithm].compactMap { $0 } }
        let known = wanted.isEmpty ? [.rs256] : wanted
        return known.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Who access tokens are for.
    var audience: [String] { accessTokenAudience.isEmpty ? [issuer.description] : accessTokenAudience }

    func client(_ id: String) -> RegisteredClient? { clients.first { $0.id.utf8.elementsEqual(id.utf8) } }
    func user(named name: String) -> ProviderUser? { users.first { $0.name.utf8.elementsEqual(name.utf8) } }
    func user(subject: String) -> ProviderUser? { users.first { $0.subject.utf8.elementsEqual(subject.utf8) } }
}
