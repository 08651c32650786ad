package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The receiver's check of a proof that an instance has the attested key
/// (draft-ietf-oauth-attestation-based-client-auth-10).
///
/// The check is stateless. Its caller must reject a second proof with the same key and `jti`, and compare the challenge
/// with those that it issued.
package struct ClientAttestationProofCheck: Sendable {
    /// `typ`.
    static let type = "oauth-client-attestation-pop+jwt"
    private static let maximumBytes = 8_192
    private static let maximumIdentifierBytes = 256

    /// The client that the attestation is about.
    package var clientID: String
    /// The required audience of a proof: the issuer, as one string.
    package var issuer: String
    /// The maximum age of a proof, in seconds.
    package var acceptedAge: Double
    /// The maximum time in seconds by which the instance's clock may be ahead.
    package var acceptedLead: Double = 10

    package init(clientID: String, issuer: String, acceptedAge: Double = 300) {
        self.clientID = clientID
        self.issuer = issuer
        self.acceptedAge = acceptedAge
    }

    /// The content of a valid proof.
    package struct Proof: Sendable, Hashable {
        /// Unique for the key.
        package let jti: String
        /// The challenge in the proof; `nil` for none.
        package let challenge: String?
        /// The time in `iat`.
        package let issuedAt: Date
    }

    /// The check that a proof did not pass.
    package enum Failure: String, Error, Sendable, Hashable, CaseIterable {
        /// It is not a compact JSON Web Token with a JSON payload, or is too long.
        case form
        /// `typ` is not `oauth-client-attestation-pop+jwt`.
        case type
        /// `alg` is not an asymmetric signature that fits the key.
        case algorithm
        /// The attested key did not make the signature.
        case signature
        /// `iss` is there, and another client.
        case client
        /// `aud` is not the issuer, as one string.
        case audience
        /// `jti` is missing, empty or too long.
        case identifier
        /// `iat` is missing, too old or in the future.
        case time
        /// `challenge` is not a string.
        case challenge
    }

    /// Checks a proof.
    ///
    /// - Throws: The first check that failed.
    package func proof(_ compact: String, by key: JSONWebKey, now: Date) throws(Failure) -> Proof {
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT(compact, maximumBytes: Self.maximumBytes) } catch { throw .form }
        guard NamedCheck.holds("client_attestation_proof.typ", token.header.type == Self.type) else { throw .type }
        let claims = try claims(of: token, key)
        let isOfClient = claims["iss"].map { $0.string?.utf8.elementsEqual(clientID.utf8) ?? false } ?? true
        guard NamedCheck.holds("client_attestation_proof.iss", isOfClient) else { throw .client }
        let isForUs = claims["aud"]?.string.map { $0.utf8.elementsEqual(issuer.utf8) } ?? false
        guard NamedCheck.holds("client_attestation_proof.aud", isForUs) else { throw .audience }
        guard let jti = claims["jti"]?.string,
            NamedCheck.holds(
                "client_attestation_proof.jti",
                (1...Self.maximumIdentifierBytes).contains(jti.utf8.count)
            )
        else { throw .identifier }
        guard let seconds = claims["iat"]?.number else { throw .time }
        let age = now.timeIntervalSince1970 - seconds
        guard NamedCheck.holds("client_attestation_proof.iat", -acceptedLead...acceptedAge ~= age) else { throw .time }
        let challenge = claims["challenge"]?.string
        guard challenge != nil || claims["challenge"] == nil else { throw .challenge }
        return Proof(jti: jti, challenge: challenge, issuedAt: Date(timeIntervalSince1970: seconds))
    }

    private func claims(of token: UnverifiedJWT, _ key: JSONWebKey) throws(Failure) -> JSONObject {
        do throws(JOSEError) {
            return try token.verified(by: key, algorithms: Set(SignatureAlgorithm.allCases)).claims
        } catch {
            throw error.failure(form: .form, algorithm: .algorithm, key: .algorithm, signature: .signature)
        }
    }
}
