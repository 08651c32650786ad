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
    /// The thumbprint of the key that a client proves to have at an endpoint of the authorization server; `nil` when
    /// its request has no proof.
    ///
    /// - Throws: `invalid_dpop_proof`, or `use_dpop_nonce` with a nonce to use (RFC 9449 sections 5 and 8).
    func provenKey(
        of request: ProviderRequest,
        at route: Route,
        for client: RegisteredClient
    ) async throws -> String? {
        let fields = request.fields[values: .dpop]
        guard let field = fields.first else { return nil }
        guard fields.count == 1 else { throw Refusal.json(.invalidDPoPProof, "There are several DPoP fields.") }
        let proof: DPoPProofCheck.Proof
        do throws(DPoPProofCheck.Failure) {
            proof = try proofCheck(for: client)
                .proof(field, method: request.method, url: routes.url(route), now: now)
        } catch {
            throw Refusal.json(.invalidDPoPProof, error.sentence)
        }
        guard isAnswered(proof, .authorizationServer) else {
            let challenge = Refusal.json(.useDPoPNonce, "The DPoP proof must carry the nonce of this response.")
            throw Refusal.with(nonceField(.authorizationServer), challenge)
        }
        guard try await remember(proof) else { throw Refusal.json(.invalidDPoPProof, Self.reuse) }
        return proof.thumbprint
    }

    /// Checks that the sender of a bound token has its key (RFC 9449 section 7.1).
    func checkPossession(
        of key: String,
        _ token: PresentedToken,
        _ request: ProviderRequest,
        at route: Route,
        for client: RegisteredClient
    ) async throws {
        let fields = request.fields[values: .dpop]
        guard fields.count == 1, let field = fields.first else {
            throw dpopChallenge(.invalidDPoPProof, "The request needs one DPoP field.")
        }
        let proof: DPoPProofCheck.Proof
        do throws(DPoPProofCheck.Failure) {
            proof = try proofCheck(for: client).proof(
                field,
                method: request.method,
                url: routes.url(route),
                accessToken: Secret(token.text),
                now: now
            )
        } catch {
            throw dpopChallenge(.invalidDPoPProof, error.sentence)
        }
        guard constantTimeEqual(proof.thumbprint, key) else {
            throw dpopChallenge(.invalidToken, "The access token belongs to another key.")
        }
        guard isAnswered(proof, .resourceServer) else {
            let challenge = dpopChallenge(.useDPoPNonce, "The DPoP proof must carry the nonce of this response.")
            throw Refusal.with(nonceField(.resourceServer), challenge)
        }
        guard try await remember(proof) else { throw dpopChallenge(.invalidDPoPProof, Self.reuse) }
    }

    /// The challenge of RFC 9449 section 7.1.
    func dpopChallenge(_ code: OAuthError.Code, _ sentence: String) -> Refusal {
        .challenge(
            "\(dpopRealm), error=\"\(code.rawValue)\", error_description=\"\(sentence)\"",
            .unauthorized
        )
    }

    /// The DPoP challenge of a resource in a request without an error.
    var dpopRealm: String {
        let names = configuration.dpop.algorithms.filter(rules.algorithms.contains).map(\.rawValue)
            .joined(separator: " ")
        return "DPoP realm=\"ostiary\", algs=\"\(names)\""
    }

    /// The field with the nonce for the next proof; none when proofs need no nonce.
    func nonceField(_ asker: ProofNonces.Asker) -> HTTPFields {
        guard asksForNonces else { return [:] }
        return [.dpopNonce: nonces.current(asker, generation: generation(asker), now: now)]
    }

    /// Makes every nonce of the authorization server's endpoints worthless, where a scenario wants that.
    func replaceNonces() {
        if scenario.dpopNonces == .replaced { nonceGeneration.withLock { $0 &+= 1 } }
    }

    private static let reuse = "The DPoP proof was used before."

    private func proofCheck(for client: RegisteredClient) -> DPoPProofCheck {
        let policy = configuration.dpop
        return DPoPProofCheck(
            algorithms: Set(policy.algorithms).intersection(rules(for: client).algorithms),
            acceptedAge: policy.acceptedAge.inSeconds,
            acceptedLead: policy.acceptedLead.inSeconds
        )
    }

    private var asksForNonces: Bool {
        switch scenario.dpopNonces {
        case .configured: configuration.dpop.requiresNonce
        case .unasked: false
        case .asked, .replaced, .refused: true
        }
    }

    private func isAnswered(_ proof: DPoPProofCheck.Proof, _ asker: ProofNonces.Asker) -> Bool {
        guard asksForNonces else { return true }
        guard let nonce = proof.nonce, scenario.dpopNonces != .refused else { return false }
        return nonces.accepts(nonce, asker, generation: generation(asker), now: now)
    }

    /// The number of early replacements of the nonces, which only those of the authorization server have.
    private func generation(_ asker: ProofNonces.Asker) -> Int {
        asker == .authorizationServer ? nonceGeneration.withLock { $0 } : 0
    }

    /// Remembers a proof for as long as it would be accepted; `false` when it is known already.
    private func remember(_ proof: DPoPProofCheck.Proof) async throws -> Bool {
        try await storage.add(
            ProviderRecord(
                kind: .dpopProof,
                key: SecretDigest("\(proof.thumbprint).\(proof.jti)").text,
                value: [:],
                expires: proof.issuedAt.addingTimeInterval(configuration.dpop.acceptedAge.inSeconds + 1)
            )
        )
    }
}

extension DPoPProofCheck.Failure {
    /// The explanation for a developer.
    fileprivate var sentence: String {
        switch self {
        case .form: "The DPoP proof is not a JSON Web Token, or is too long."
        case .type: "The DPoP proof's typ is not dpop+jwt."
        case .algorithm: "The DPoP proof's alg is not accepted."
        case .key: "The DPoP proof has no jwk that can verify its signature."
        case .privateKey: "The DPoP proof's jwk contains private members: replace that key."
        case .signature: "The DPoP proof's signature is invalid."
        case .identifier: "The DPoP proof's jti is missing or too long."
        case .method: "The DPoP proof's htm is not this request's method."
        case .url: "The DPoP proof's htu is not this request's URL."
        case .time: "The DPoP proof's iat is missing, too old or in the future."
        case .nonce: "The DPoP proof's nonce is not a string."
        case .accessTokenHash: "The DPoP proof's ath is not the hash of this access token."
        }
    }
}
