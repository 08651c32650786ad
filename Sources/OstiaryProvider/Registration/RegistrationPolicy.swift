public import OstiaryJOSE

/// The policy for clients that register while the provider runs, and for their credentials (RFC 7591, RFC 7592).
public struct RegistrationPolicy: Sendable {
    /// The requirement for a registration.
    public enum Access: Sendable, Hashable {
        /// No client may register.
        case closed
        /// Every client may register.
        case open
        /// A client with one of these tokens may register (RFC 7591 section 3).
        case withInitialAccessToken([SecretDigest])
        /// A client with a trusted issuer's software statement may register (RFC 7591 section 2.3).
        case withSoftwareStatement
    }

    /// The credentials that are replaced when a client manages its registration (RFC 7592 section 5).
    public struct Rotation: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int
        /// Makes a set of the bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The registration access token, at each read; the old one is invalid.
        public static let accessTokenOnRead = Self(rawValue: 1)
        /// The registration access token, at each update; the old one is invalid.
        public static let accessTokenOnUpdate = Self(rawValue: 2)
        /// The secret, at each update; the old one is invalid.
        public static let secretOnUpdate = Self(rawValue: 4)
        /// The secret, at each read; the old one is invalid.
        public static let secretOnRead = Self(rawValue: 8)
    }

    /// The requirement for a registration.
    public var access: Access
    /// The trusted issuers of software statements: the keys of each `iss` (RFC 7591 section 2.3).
    public var trustedSoftwareStatementIssuers: [String: JSONWebKeySet]
    /// The lifetime of a client secret; `nil` for no expiry.
    public var secretLifetime: Duration?
    /// The credentials that are replaced when a client manages its registration.
    public var rotation: Rotation

    /// The hosts that the URIs of a client that registers itself may have, where the provider requests them.
    ///
    /// The URIs that the user's browser loads may have any host: `logo_uri`, and `frontchannel_logout_uri` at the origin of
    /// a redirect URI.
    ///
    /// Default: hosts of the public internet.
    public var reach: OutboundReach = .publicHosts

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - access: The requirement for a registration.
    ///   - trustedSoftwareStatementIssuers: The keys by `iss`; another issuer's statement is rejected.
    ///   - secretLifetime: The lifetime of a client secret; `nil` for no expiry.
    ///   - rotation: The credentials that are replaced at each read or update.
    public init(
        _ access: Access,
        trustedSoftwareStatementIssuers: [String: JSONWebKeySet] = [:],
        secretLifetime: Duration? = nil,
        rotation: Rotation = []
    ) {
        self.access = access
        self.trustedSoftwareStatementIssuers = trustedSoftwareStatementIssuers
        self.secretLifetime = secretLifetime
        self.rotation = rotation
    }

    /// Rejects every registration.
    public static let closed = RegistrationPolicy(.closed)
    /// Accepts every registration.
    public static let open = RegistrationPolicy(.open)
    /// Accepts a registration with one of these tokens.
    public static func withInitialAccessToken(_ tokens: [SecretDigest]) -> RegistrationPolicy {
        RegistrationPolicy(.withInitialAccessToken(tokens))
    }
}
