public import OstiaryJOSE

/// The provider's requirements on DPoP (RFC 9449), which it always supports.
public struct DPoPPolicy: Sendable, Hashable {
    /// Whether a proof must carry a nonce of this provider (RFC 9449 sections 8 and 9).
    public var requiresNonce: Bool
    /// The minimum lifetime of a nonce, and half of the maximum.
    ///
    /// Default: five minutes.
    public var nonceLifetime: Duration {
        didSet { nonceLifetime = max(nonceLifetime, .seconds(1)) }
    }
    /// The maximum age of a proof.
    ///
    /// Default: five minutes.
    public var acceptedAge: Duration
    /// The maximum time by which a client's clock may be ahead.
    ///
    /// Default: ten seconds.
    public var acceptedLead: Duration
    /// The accepted signature algorithms of a proof, in the order of the metadata.
    public var algorithms: [SignatureAlgorithm]

    /// Makes a policy.
    public init(
        requiresNonce: Bool = false,
        nonceLifetime: Duration = .seconds(300),
        acceptedAge: Duration = .seconds(300),
        acceptedLead: Duration = .seconds(10),
        algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .edDSA, .ed25519, .ps256, .rs256]
    ) {
        self.requiresNonce = requiresNonce
        self.nonceLifetime = max(nonceLifetime, .seconds(1))
        self.acceptedAge = acceptedAge
        self.acceptedLead = acceptedLead
        self.algorithms = algorithms
    }
}
