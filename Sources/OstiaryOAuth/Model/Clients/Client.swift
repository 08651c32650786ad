public import OstiaryJOSE

/// A client registered at an authorization server (RFC 6749 section 2), and its requirements.
public struct Client: Sendable {
    /// The client identifier, exactly as it was issued.
    public let id: String
    /// The redirect URI, to which the server sends its authorization responses.
    public var redirectURI: RedirectURI
    /// The client's authentication method.
    public var authentication: ClientAuthentication
    /// The client's policy for validating ID tokens.
    public var validation: Client.ValidationPolicy
    /// The binding of the client's tokens.
    public var senderConstraint: SenderConstraint
    /// The requirements beyond the standard checks.
    public var profile: SecurityProfile
    /// The deviations from the specifications that it accepts from its server.
    public var manners: ServerManners

    /// Makes a client.
    ///
    /// - Throws: `configuration` at stage `authorization` when the id is empty or has control characters.
    public init(
        id: String,
        redirectURI: RedirectURI,
        authentication: ClientAuthentication = .none,
        validation: Client.ValidationPolicy = Client.ValidationPolicy(),
        senderConstraint: SenderConstraint = .none,
        profile: SecurityProfile = .standard,
        manners: ServerManners = ServerManners()
    ) throws(SignInError) {
        guard !id.isEmpty, id.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw SignInError(
                .authorization,
                .configuration("A client identifier is not empty: use the one that the provider issued.")
            )
        }
        self.id = id
        self.redirectURI = redirectURI
        self.authentication = authentication
        self.validation = validation
        self.senderConstraint = senderConstraint
        self.profile = profile
        self.manners = manners
    }

    /// The algorithms that a token of a server may be signed with: those that the policy, the profile and the server
    /// allow.
    func idTokenAlgorithms(at server: AuthorizationServer) -> Set<SignatureAlgorithm> {
        var allowed = validation.idTokenAlgorithms
        if let known = server.idTokenSigningAlgorithms { allowed.formIntersection(known) }
        if let ofProfile = profile.algorithms { allowed.formIntersection(ofProfile) }
        return allowed
    }
}

extension Client {
    /// A client's policy for validating tokens.
    ///
    /// Each property can be made stricter or wider; no check can be left out.
    public struct ValidationPolicy: Sendable, Hashable {
        /// The accepted signature algorithms of an ID token; the server's metadata narrows them further (RFC 8725
        /// section 3.1).
        public var idTokenAlgorithms: Set<SignatureAlgorithm>
        /// The required signature algorithm of UserInfo responses.
        ///
        /// `nil` accepts JSON, and a signature by any of `idTokenAlgorithms`.
        public var userInfoAlgorithm: SignatureAlgorithm?
        /// Audiences besides this client that an ID token may have (OpenID Connect Core section 3.1.3.7 rule 3).
        public var trustedAudiences: Set<String>
        /// Whether an ID token without `at_hash` is refused (OpenID Connect Core section 3.1.3.8 leaves it to the
        /// server).
        ///
        /// Default `false`.
        public var requiresAccessTokenHash: Bool
        /// Whether an ID token that does not name its key is refused (OpenID Connect Core section 10.1 wants a name
        /// only where several keys fit).
        ///
        /// Default `false`.
        public var requiresKeyID: Bool
        /// The accepted clock skew: 0 to 300 seconds.
        ///
        /// Default 30 seconds. The time is corrected by the server's clock, so more than a minute is for servers whose own
        /// clocks disagree.
        public var clockTolerance: Duration {
            didSet { clockTolerance = Self.tolerance(clockTolerance) }
        }
        /// The maximum age of a new ID token.
        ///
        /// Default ten minutes.
        public var maximumIDTokenAge: Duration

        /// Makes a policy; the defaults accept every asymmetric algorithm of `SignatureAlgorithm`.
        public init(
            idTokenAlgorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
            userInfoAlgorithm: SignatureAlgorithm? = nil,
            trustedAudiences: Set<String> = [],
            requiresKeyID: Bool = false,
            requiresAccessTokenHash: Bool = false,
            clockTolerance: Duration = .seconds(30),
            maximumIDTokenAge: Duration = .seconds(600)
        ) {
            self.idTokenAlgorithms = idTokenAlgorithms
            self.userInfoAlgorithm = userInfoAlgorithm
            self.trustedAudiences = trustedAudiences
            self.requiresKeyID = requiresKeyID
            self.requiresAccessTokenHash = requiresAccessTokenHash
            self.clockTolerance = Self.tolerance(clockTolerance)
            self.maximumIDTokenAge = maximumIDTokenAge
        }

        private static func tolerance(_ time: Duration) -> Duration { min(max(time, .zero), .seconds(300)) }
    }
}
