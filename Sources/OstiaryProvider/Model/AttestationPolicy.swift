/// The provider's requirements on attested clients (draft-ietf-oauth-attestation-based-client-auth-10).
public struct AttestationPolicy: Sendable, Hashable {
    /// Whether a proof must carry a challenge of this provider.
    public var requiresChallenge: Bool
    /// The minimum lifetime of a challenge, in seconds, and half of the maximum.
    ///
    /// Default 300.
    public var challengeLifetime: Double {
        didSet { challengeLifetime = max(challengeLifetime, 1) }
    }
    /// The maximum age of an attestation, in seconds, whatever its own expiry.
    ///
    /// Default: a day.
    public var maximumAttestationAge: Double
    /// The maximum age of a proof, in seconds.
    ///
    /// Default 300.
    public var acceptedProofAge: Double

    /// Makes a policy.
    public init(
        requiresChallenge: Bool = true,
        challengeLifetime: Double = 300,
        maximumAttestationAge: Double = 86_400,
        acceptedProofAge: Double = 300
    ) {
        self.requiresChallenge = requiresChallenge
        self.challengeLifetime = max(challengeLifetime, 1)
        self.maximumAttestationAge = maximumAttestationAge
        self.acceptedProofAge = acceptedProofAge
    }
}
