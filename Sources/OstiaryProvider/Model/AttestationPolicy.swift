/// The provider's requirements on attested clients (draft-ietf-oauth-attestation-based-client-auth-10).
public struct AttestationPolicy: Sendable, Hashable {
    /// Whether a proof must carry a challenge of this provider.
    public var requiresChallenge: Bool
    /// The minimum lifetime of a challenge, and half of the maximum.
    ///
    /// Default: five minutes.
    public var challengeLifetime: Duration {
        didSet { challengeLifetime = max(challengeLifetime, .seconds(1)) }
    }
    /// The maximum age of an attestation, whatever its own expiry.
    ///
    /// Default: a day.
    public var maximumAttestationAge: Duration
    /// The maximum age of a proof.
    ///
    /// Default: five minutes.
    public var acceptedProofAge: Duration

    /// Makes a policy.
    public init(
        requiresChallenge: Bool = true,
        challengeLifetime: Duration = .seconds(300),
        maximumAttestationAge: Duration = .seconds(86_400),
        acceptedProofAge: Duration = .seconds(300)
    ) {
        self.requiresChallenge = requiresChallenge
        self.challengeLifetime = max(challengeLifetime, .seconds(1))
        self.maximumAttestationAge = maximumAttestationAge
        self.acceptedProofAge = acceptedProofAge
    }
}
