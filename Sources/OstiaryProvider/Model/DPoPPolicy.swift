public import OstiaryJOSE

/// How strict the provider is about DPoP (RFC 9449), which it always understands.
public struct DPoPPolicy: Sendable, Hashable {
    /// Whether a proof has to carry a nonce from here (RFC 9449 sections 8 and 9).
    public var requiresNonce: Bool
    /// How long a nonce is good at least, in seconds, and at most twice as long: 300 unless told otherwise.
    public var nonceLifetime: Double {
        didSet { nonceLifetime = max(nonceLifetime, 1) }
    }
    /// How old a proof may be, in seconds: 300 unless told otherwise.
    public var acceptedAge: Double
    /// How far ahead a client's clock may be, in seconds: 10 unless told otherwise.
    public var acceptedLead: Double
    /// What a proof may be signed with, in the order in which the metadata names them.
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
