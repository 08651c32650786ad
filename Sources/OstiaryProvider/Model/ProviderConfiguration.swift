public import OstiaryJOSE
public import OstiaryOAuth

/// The configuration of a provider: its name, clients and users.
public struct ProviderConfiguration: Sendable {
    /// The issuer identifier; every endpoint lies below it.
    public var issuer: Issuer
    /// The name on the pages.
    public var name: String
    /// The registered clients.
    public var clients: [RegisteredClient]
    /// The users who can sign in.
    public var users: [ProviderUser]
    /// Scopes besides `openid`, `profile`, `email`, `address`, `phone` and `offline_access`, with the sentence for
    /// each on the consent page.
    public var additionalScopes: [ProviderScope]
    /// The signature algorithms of tokens, the default first; the provider makes a key for each when it starts.
    public var signingAlgorithms: [SignatureAlgorithm]
    /// The keys to sign with instead of generated ones; a published key, for example from a repository, protects
    /// nothing.
    public var signingKeys: [SigningKey]
    /// The audience of access tokens; the issuer itself when empty (RFC 9068 section 2.2).
    public var accessTokenAudience: [String]
    /// The lifetimes of tokens, sessions and requests.
    public var lifetimes: Lifetimes
    /// The requirements on DPoP (RFC 9449).
    public var dpop: DPoPPolicy
    /// The requirements on attested clients.
    public var attestation: AttestationPolicy
    /// The resource servers that clients may request access tokens for (RFC 8707).
    public var resources: [ProviderResource]
    /// Whether every client must push its authorization requests (RFC 9126 section 5).
    public var requiresPushedAuthorizationRequests: Bool
    /// The dialect that the provider speaks; ``StandardDialect`` for its own.
    public var dialect: any Dialect
    /// The manners of a provider in the field; ``ProviderManners/strict`` for its own.
    public var manners: ProviderManners
    /// The rules that clients are held to; ``ProviderRules/strict`` by default.
    public var rules: ProviderRules
    /// The way a user signs in.
    ///
    /// Default: with a password.
    public var signIn: SignInMethod = .password
    /// The languages of the pages, the one for other users first.
    ///
    /// Each page is in the first language of the request's `ui_locales` that is among them, or else of
    /// `Accept-Language`. Default: English alone.
    public var languages: [PageLanguage] = [.english]
    /// The occasion on which a user with a ``ProviderUser/oneTimePassword`` enters it.
    ///
    /// Default: every sign-in.
    public var secondFactor: SecondFactor = .always
    /// The number of users who can be signed in at a time in one browser.
    ///
    /// Default: one.
    public var accounts: AccountPolicy = .one
    /// The treatment of many wrong passwords for one name.
    ///
    /// Default: ten within five minutes close the name for the rest of them.
    public var wrongPasswords: WrongPasswords = .throttled
    /// Whether users can sign in with passkeys, and add them on the page `/account`.
    ///
    /// A passkey is bound to the issuer's host, which has to be a name: with an IP address this has no effect.
    /// Default: they cannot.
    public var passkeys: PasskeyUse = .none
    /// Whether a request can choose its ``Scenario``.
    ///
    /// Default: it cannot.
    public var scenarioChoice: ScenarioChoice = .none
    /// The scenarios that requests play by their number, such as the second token request.
    ///
    /// A scenario that a request chooses itself goes before them. Default: none.
    public var scenarioTurns: [ScenarioTurn] = []
    /// The digest of the token that requests of the administration below `/admin` need.
    ///
    /// Default: `nil`, and there is no administration.
    public var administrationToken: SecretDigest?
    /// Whether the issuer's URL shows a page with the clients, users and endpoints; never with a secret.
    ///
    /// Default: there is no page.
    public var frontPage: FrontPagePolicy = .absent
    /// Whether the exchanges are recorded for an inspector (``Provider/recordedExchanges(after:maximum:)``).
    ///
    /// Default: they are not.
    public var inspector: InspectorPolicy = .absent
    /// The transport of the provider's own requests to clients.
    ///
    /// Default: `nil`, and the provider sends none: no back-channel logout.
    public var outbound: (any OutboundTransport)?
    /// The policy for registering clients while the provider runs.
    ///
    /// Default: none may register.
    public var registration: RegistrationPolicy
    /// The encoding of the halves of a client's Basic credential.
    public var basicCredentials: BasicCredentials

    /// The ways in which a user signs in.
    public enum SignInMethod: Sendable, Hashable {
        /// With a name and a password.
        case password
        /// With a button for each user, or a name and any password: for tests, where every client may be any user.
        case choice
        /// Without a page: the user that `login_hint` names or, failing that, this one. Nothing asks for consent.
        case automatic(userName: String)
    }

    /// The occasions on which a user enters a one-time password besides the password.
    public enum SecondFactor: String, Sendable, Hashable, CaseIterable {
        /// Every sign-in.
        case always
        /// A request for an authentication context that needs it. (RFC 9470)
        case onRequest = "on_request"
    }

    /// The numbers of users who can be signed in at a time in one browser.
    public enum AccountPolicy: String, Sendable, Hashable, CaseIterable {
        /// One: a sign-in ends the login of another user.
        case one
        /// Several: each keeps the login, and a page lets the user choose.
        case several
    }

    /// The uses of passkeys. (Web Authentication Level 3)
    public enum PasskeyUse: String, Sendable, Hashable {
        /// There are none.
        case none
        /// Users can add them, and sign in with them instead of a password.
        case accepted
    }

    /// The treatments of many wrong passwords.
    public enum WrongPasswords: String, Sendable, Hashable {
        /// Ten within five minutes close a name for the rest of them.
        case throttled
        /// Each is refused, and the next one is tried.
        case unlimited
    }

    /// The ways in which a request chooses its scenario.
    public enum ScenarioChoice: String, Sendable, Hashable {
        /// It cannot.
        case none
        /// By the client identifier, such as `app~NAME`, in each request of the flow, or by the field `Ostiary-Scenario`.
        case byRequest
    }

    /// Whether there is a page at the issuer's URL.
    public enum FrontPagePolicy: String, Sendable, Hashable {
        /// There is none.
        case absent
        /// There is one.
        case present
    }

    /// Whether there is an inspector.
    public enum InspectorPolicy: String, Sendable, Hashable {
        /// There is none.
        case absent
        /// There is one: for development only, since it shows which client does what for which user.
        case present
    }

    /// The encodings of the halves of a Basic credential that a client authenticates with.
    public enum BasicCredentials: String, Sendable, Hashable, CaseIterable {
        /// Each half is form-encoded before they are joined. (RFC 6749 section 2.3.1)
        case formEncoded = "form_encoded"
        /// A credential that is not right form-encoded is read as it is, too: some client libraries do not encode.
        case formEncodedOrRaw = "form_encoded_or_raw"
    }

    /// The lifetimes of tokens, sessions and requests.
    public struct Lifetimes: Sendable, Hashable {
        /// Of an authorization code: at most a minute, which is the default (FAPI 2.0 Security Profile).
        public var authorizationCode: Duration {
            didSet { authorizationCode = min(authorizationCode, .seconds(60)) }
        }
        /// The lifetime of an access token.
        ///
        /// Default: 15 minutes.
        public var accessToken: Duration
        /// The lifetime of a grant with refresh tokens, from the sign-in on, however often they rotate.
        ///
        /// Default: 30 days.
        public var refreshToken: Duration
        /// The time after its first use in which a refresh token may be used again, by a client that lost the response.
        ///
        /// Default 0, which treats a second use as theft at once (RFC 9700 section 4.14.2).
        public var refreshTokenReuse: Duration
        /// The lifetime of an ID token.
        ///
        /// Default: five minutes.
        public var idToken: Duration
        /// The lifetime of a user's login at the provider.
        ///
        /// Default: 8 hours.
        public var loginSession: Duration
        /// The lifetime of a page that waits for the user.
        ///
        /// Default: 30 minutes.
        public var interaction: Duration
        /// The lifetime of a pushed authorization request, until it is opened.
        ///
        /// Default: a minute (RFC 9126 section 2.2).
        public var pushedRequest: Duration
        /// The lifetime of a device's codes.
        ///
        /// Default: ten minutes (RFC 8628 section 3.2).
        public var deviceCode: Duration
        /// The longest validity of a client assertion, from now to its `exp`; at most a day (RFC 7523 section 3).
        ///
        /// Some client libraries make assertions for an hour. Default: five minutes.
        public var clientAssertion: Duration {
            didSet { clientAssertion = min(clientAssertion, .seconds(86_400)) }
        }

        /// Makes lifetimes.
        public init(
            authorizationCode: Duration = .seconds(60),
            accessToken: Duration = .seconds(900),
            refreshToken: Duration = .seconds(30 * 86_400),
            refreshTokenReuse: Duration = .zero,
            idToken: Duration = .seconds(300),
            loginSession: Duration = .seconds(8 * 3600),
            interaction: Duration = .seconds(1800),
            pushedRequest: Duration = .seconds(60),
            deviceCode: Duration = .seconds(600),
            clientAssertion: Duration = .seconds(300)
        ) {
            self.authorizationCode = min(authorizationCode, .seconds(60))
            self.accessToken = accessToken
            self.refreshToken = refreshToken
            self.refreshTokenReuse = refreshTokenReuse
            self.idToken = idToken
            self.loginSession = loginSession
            self.interaction = interaction
            self.pushedRequest = pushedRequest
            self.deviceCode = deviceCode
            self.clientAssertion = min(clientAssertion, .seconds(86_400))
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
        basicCredentials: BasicCredentials = .formEncoded,
        dialect: any Dialect = StandardDialect(),
        manners: ProviderManners = .strict,
        rules: ProviderRules = .strict
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
        self.basicCredentials = basicCredentials
        self.dialect = dialect
        self.manners = manners
        self.rules = rules
    }
}

extension ProviderConfiguration {
    /// Whether the issuer's host can be the relying party of passkeys: a name, and at `http` that of this machine.
    public var canHavePasskeys: Bool { RelyingParty(issuer) != nil }

    /// Every scope that the provider knows.
    package var scopes: [ProviderScope] { ProviderScope.standard + additionalScopes }

    /// Every algorithm that a client requests or that tokens are signed with by default, the default first.
    ///
    /// Each client's rules accept one of them at least.
    var algorithms: [SignatureAlgorithm] {
        var known = signingAlgorithms.filter(rules.algorithms.contains)
        for client in clients {
            let wanted = [client.idTokenAlgorithm, client.userInfoAlgorithm].compactMap(\.self)
            known += wanted.filter((client.rules ?? rules).algorithms.contains)
        }
        let usual: [SignatureAlgorithm] = [.rs256, .es256] + SignatureAlgorithm.allCases
        for accepted in [rules.algorithms] + clients.compactMap(\.rules?.algorithms)
        where accepted.isDisjoint(with: known) {
            known += usual.filter(accepted.contains).prefix(1)
        }
        return known.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The relying party of passkeys; `nil` where there are none.
    var relyingParty: RelyingParty? { passkeys == .accepted ? RelyingParty(issuer) : nil }

    /// The audience of access tokens.
    var audience: [String] { accessTokenAudience.isEmpty ? [issuer.description] : accessTokenAudience }

    func client(_ id: String) -> RegisteredClient? { clients.first { $0.id.utf8.elementsEqual(id.utf8) } }
    func user(named name: String) -> ProviderUser? { users.first { $0.name.utf8.elementsEqual(name.utf8) } }
    func user(subject: String) -> ProviderUser? { users.first { $0.subject.utf8.elementsEqual(subject.utf8) } }
}
