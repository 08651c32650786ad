import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Provider {
    /// The challenge endpoint (draft-ietf-oauth-attestation-based-client-auth-10).
    func attestationChallenge() -> ProviderResponse {
        .json(["attestation_challenge": .string(currentChallenge)])
    }

    /// Checks the attestation of a client's instance: exactly one attestation, and exactly one proof with the attested
    /// key.
    ///
    /// - Returns: The thumbprint of the instance's key.
    /// - Throws: `invalid_client`; `use_fresh_attestation` for an attestation that is too old;
    ///   `use_attestation_challenge` for a proof without a challenge of this provider.
    func attestedInstance(
        of client: RegisteredClient,
        trusting attesterKeys: JSONWebKeySet,
        _ request: ProviderRequest
    ) async throws -> String {
        let attestations = request.fields[values: .clientAttestation]
        let proofs = request.fields[values: .clientAttestationProof]
        guard attestations.count == 1, proofs.count == 1 else {
            throw Refusal.unknownClient("There has to be one attestation and one proof.")
        }
        let check = ClientAttestationCheck(
            clientID: client.id,
            attesterKeys: attesterKeys,
            maximumAge: configuration.attestation.maximumAttestationAge.inSeconds
        )
        let key: JSONWebKey
        do throws(ClientAttestationCheck.Failure) {
            key = try check.instanceKey(attestations[0], now: now)
        } catch {
            guard error != .age else {
                throw Refusal.json(.useFreshAttestation, "The client attestation is too old: get a new one.")
            }
            throw Refusal.unknownClient(error.sentence)
        }
        try await checkProof(proofs[0], by: key, of: client)
        return key.thumbprint()
    }

    private func checkProof(_ compact: String, by key: JSONWebKey, of client: RegisteredClient) async throws {
        let check = ClientAttestationProofCheck(
            clientID: client.id,
            issuer: configuration.issuer.description,
            acceptedAge: configuration.attestation.acceptedProofAge.inSeconds
        )
        let proof: ClientAttestationProofCheck.Proof
        do throws(ClientAttestationProofCheck.Failure) {
            proof = try check.proof(compact, by: key, now: now)
        } catch {
            throw Refusal.unknownClient(error.sentence)
        }
        guard isAnswered(proof) else {
            throw Refusal.json(.useAttestationChallenge, "The proof has to carry the challenge of this answer.")
        }
        // Encoding keeps two pairs from running together.
        let pair = FormURLEncoding.encode(Parameters([.clientID: key.thumbprint(), "jti": proof.jti]))
        let record = ProviderRecord(
            kind: .attestationProof,
            key: SecretDigest(pair).text,
            value: [:],
            expires: proof.issuedAt.addingTimeInterval(configuration.attestation.acceptedProofAge.inSeconds + 1)
        )
        guard try await storage.add(record) else { throw Refusal.unknownClient("The proof was used before.") }
    }

    /// Adds the next challenge to the response to every request with an attestation.
    func offerChallenge(_ response: inout ProviderResponse, to request: ProviderRequest) {
        guard configuration.attestation.requiresChallenge, request.fields[.clientAttestation] != nil else { return }
        response.fields[.clientAttestationChallenge] = currentChallenge
    }

    private var currentChallenge: String { challenges.current(.attestedClient, generation: 0, now: now) }

    private func isAnswered(_ proof: ClientAttestationProofCheck.Proof) -> Bool {
        guard configuration.attestation.requiresChallenge else { return true }
        guard let challenge = proof.challenge else { return false }
        return challenges.accepts(challenge, .attestedClient, generation: 0, now: now)
    }
}

extension ClientAttestationCheck.Failure {
    /// The explanation for a developer.
    fileprivate var sentence: String {
        switch self {
        case .form: "The client attestation is not a JSON Web Token, or is too long."
        case .type: "The client attestation's typ is not oauth-client-attestation+jwt."
        case .algorithm: "The client attestation's alg is not accepted."
        case .attester: "No trusted attester has a key for this client attestation."
        case .signature: "The client attestation's signature is wrong."
        case .subject: "The client attestation's sub is not the client."
        case .expiry: "The client attestation's exp is missing or past."
        case .time: "The client attestation's iat or nbf is in the future."
        case .age: "The client attestation is too old."
        case .confirmation: "The client attestation's cnf has no public key as jwk."
        }
    }
}

extension ClientAttestationProofCheck.Failure {
    /// The explanation for a developer.
    fileprivate var sentence: String {
        switch self {
        case .form: "The attestation's proof is not a JSON Web Token, or is too long."
        case .type: "The attestation's proof has another typ than oauth-client-attestation-pop+jwt."
        case .algorithm: "The alg of the attestation's proof does not fit the attested key."
        case .signature: "The attested key did not sign the attestation's proof."
        case .client: "The iss of the attestation's proof is not the client."
        case .audience: "The aud of the attestation's proof has to be the issuer, as one string."
        case .identifier: "The attestation's proof has no jti, or a too long one."
        case .time: "The iat of the attestation's proof is missing, too old or in the future."
        case .challenge: "The challenge of the attestation's proof is not a string."
        }
    }
}
