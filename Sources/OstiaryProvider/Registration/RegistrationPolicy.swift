public import OstiaryJOSE

/// Who may register clients while the provider runs, and what happens to their credentials (RFC 7591, RFC 7592).
public struct RegistrationPolicy: Sendable {
    /// Who may register a client.
    public enum Access: Sendable, Hashable {
        /// Nobody.
        case closed
        /// Anybody.
        case open
        /// Who has one of these tokens (RFC 7591 section 3).
        case withInitialAccessToken([SecretDigest])
        /// Who has a software statement of an issuer that is trusted (RFC 7591 section 2.3).
        case withSoftwareStatement
    }

    /// What a client gets anew when it manages its registration (RFC 7592 section 5).
    public struct Rotation: OptionSet, Sendable, Hashable {
        /// The bits.
        public let rawValue: Int
        /// Takes bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A registration access token whenever it reads; the old one ends.
        public static let accessTokenOnRead = Self(rawValue: 1)
        /// A registration access token whenever it updates; the old one ends.
        public static let accessTokenOnUpdate = Self(rawValue: 2)
        /// A secret whenever it updates; the old one ends.
        public static let secretOnUpdate = Self(rawValue: 4)
        /// A secret whenever it reads; the old one ends.
        public static let secretOnRead = Self(rawValue: 8)
    }

    /// Who may register a client.
    public var access: Access
    /// Whose software statements are believed: the keys of each `iss` (RFC 7591 section 2.3).
    public var trustedSoftwareStatementIssuers: [String: JSONWebKeySet]
    /// How long a client secret is good, in seconds; `nil` for ever.
    public var secretLifetime: Double?
    /// What a client gets anew when it manages its registration.
    public var rotation: Rotation

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - access: Who may register a client.
    ///   - trustedSoftwareStatementIssuers: The keys by `iss`; a statement of anybody else is refused.
    ///   - secretLifetime: Seconds; `nil` for ever.
    ///   - rotation: What changes whenever a client reads or updates.
    public init(
        _ access: Access,
        trustedSoftwareStatementIssuers: [String: JSONWebKeySet] = [:],
        secretLifetime: Double? = nil,
        rotation: Rotation = []
    ) {
        self.access = access
        self.trustedSoftwareStatementIssuers = trustedSoftwareStatementIssuers
        self.secretLifetime = secretLifetime
        self.rotation = rotation
    }

    /// Nobody may register a client.
    public static let closed = RegistrationPolicy(.closed)
    /// Anybody may.
    public static let open = RegistrationPolicy(.open)
    /// Who has one of these tokens may.
    public static func withInitialAccessToken(_ tokens: [SecretDigest]) -> RegistrationPolicy {
        RegistrationPolicy(.withInitialAccessToken(tokens))
    }
}
