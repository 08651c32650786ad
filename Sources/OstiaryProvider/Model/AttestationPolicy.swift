/// How strict the provider is about clients that are attested
/// (draft-ietf-oauth-attestation-based-client-auth-10).
public struct AttestationPolicy: Sendable, Hashable {
    /// Whether a proof has to carry a challenge from here.
    public var requiresChallenge: Bool
    /// How long a challenge is good at least, in seconds, and at most twice as long: 300 unless told otherwise.
    public var challengeLifetime: Double {
        didSet { challengeLifetime = max(challengeLifetime, 1) }
    }
    /// How old an attestation may be, in seconds, whatever its own end: a day unless told otherwise.
    public var maximumAttestationAge: Double
    /// How old a proof may be, in seconds: 300 unless told otherwise.
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
