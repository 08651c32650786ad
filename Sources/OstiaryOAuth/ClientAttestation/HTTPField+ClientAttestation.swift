public import HTTPTypes

extension HTTPField.Name {
    // The literals are tokens, so there is a name for each.
    // swift-format-ignore: NeverForceUnwrap
    /// `OAuth-Client-Attestation`: an attester's statement about a client's instance
    /// (draft-ietf-oauth-attestation-based-client-auth-10).
    public static let clientAttestation = HTTPField.Name("OAuth-Client-Attestation")!
    // swift-format-ignore: NeverForceUnwrap
    /// `OAuth-Client-Attestation-PoP`: the instance's proof that it has the attested key.
    public static let clientAttestationProof = HTTPField.Name("OAuth-Client-Attestation-PoP")!
    // swift-format-ignore: NeverForceUnwrap
    /// `OAuth-Client-Attestation-Challenge`: the challenge that the next proof must carry.
    public static let clientAttestationChallenge = HTTPField.Name("OAuth-Client-Attestation-Challenge")!
}
