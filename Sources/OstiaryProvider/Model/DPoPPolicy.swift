public import OstiaryJOSE

/// The provider's requirements on DPoP (RFC 9449), which it always supports.
public struct DPoPPolicy: Sendable, Hashable {
    /// Whether a proof must carry a nonce of this provider (RFC 9449 sections 8 and 9).
    public var requiresNonce: Bool
    /// The minimum lifetime of a nonce, in seconds, and half of the maximum.
    ///
    /// Default 300.
    public var nonceLifetime: Double {
        didSet { nonceLifetime = max(nonceLifetime, 1) }
    }
    /// The maximum age of a proof, in seconds.
    ///
    /// Default 300.
    public var acceptedAge: Double
    /// The maximum time in seconds by which a client's clock may be ahead.
    ///
    /// Default 10.
    public var acceptedLead: Double
    /// The accepted signature algorithms of a proof, in the order of the metadata.
    public var algorithms: [SignatureAlgorithm]

    /// Makes a policy.
    public init(
        requiresNonce: Bool = false,
        nonceLifetime: Double = 300,
        acceptedAge: Double = 300,
        acceptedLead: Double = 10,
        algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .edDSA, .ed25519, .ps256, .rs256]
    ) {
        self.requiresNonce = requiresNonce
        self.nonceLifetime = max(nonceLifetime, 1)
        self.acceptedAge = acceptedAge
        self.acceptedLead = acceptedLead
        self.algorithms = algorithms
    }
}
