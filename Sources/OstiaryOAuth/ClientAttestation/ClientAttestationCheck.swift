package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The receiver's check of a client attestation (draft-ietf-oauth-attestation-based-client-auth-10).
package struct ClientAttestationCheck: Sendable {
    /// The longest attestation that is read, in bytes.
    package static let maximumBytes = 8_192

    /// The client that the attestation must be about.
    package var clientID: String
    /// The keys of the attesters that are trusted for this client.
    package var attesterKeys: JSONWebKeySet
    /// The maximum age of an attestation with `iat`, in seconds.
    package var maximumAge: Double
    /// The maximum time in seconds by which the attester's clock may be ahead.
    package var acceptedLead: Double = 10

    package init(clientID: String, attesterKeys: JSONWebKeySet, maximumAge: Double) {
        self.clientID = clientID
        self.attesterKeys = attesterKeys
        self.maximumAge = maximumAge
    }

    /// The check that an attestation did not pass.
    package enum Failure: String, Error, Sendable, Hashable, CaseIterable {
        /// It is not a compact JSON Web Token with a JSON payload, or is too long.
        case form
        /// `typ` is not `oauth-client-attestation+jwt`.
        case type
        /// `alg` is not an asymmetric signature that is known here.
        case algorithm
        /// No attester's key fits it.
        case attester
        /// No attester's key made the signature.
        case signature
        /// `sub` is another client.
        case subject
        /// `exp` is missing or past.
        case expiry
        /// `iat` or `nbf` is in the future, or no number.
        case time
        /// `iat` is too long ago: a new attestation is wanted.
        case age
        /// `cnf.jwk` is missing, or not a public key that can sign.
        case confirmation
    }

    /// Checks an attestation.
    ///
    /// - Returns: The key of the instance.
    /// - Throws: The first check that failed.
    package func instanceKey(_ compact: String, now: Date) throws(Failure) -> JSONWebKey {
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT(compact, maximumBytes: Self.maximumBytes) } catch { throw .form }
        // The type keeps another token of the attester's from being taken for an attestation.
        guard NamedCheck.holds("client_attestation.typ", token.header.type == HeldAttestation.type) else { throw .type }
        let claims = try claims(of: token)
        let isOfClient = claims["sub"]?.string.map { $0.utf8.elementsEqual(clientID.utf8) } ?? false
        guard NamedCheck.holds("client_attestation.sub", isOfClient) else { throw .subject }
        let seconds = now.timeIntervalSince1970
        let lasts = claims["exp"]?.number.map { $0 > seconds } ?? false
        guard NamedCheck.holds("client_attestation.exp", lasts) else { throw .expiry }
        for name in ["iat", "nbf"] {
            guard let value = claims[name] else { continue }
            let isPast = value.number.map { $0 <= seconds + acceptedLead } ?? false
            guard NamedCheck.holds("client_attestation.time", isPast) else { throw .time }
        }
        if let made = claims["iat"]?.number {
            guard NamedCheck.holds("client_attestation.age", seconds - made <= maximumAge) else { throw .age }
        }
        guard let key = claims["cnf"]?.object?["jwk"]?.object.flatMap({ try? JSONWebKey($0) }) else {
            throw .confirmation
        }
        return key
    }

    private func claims(of token: UnverifiedJWT) throws(Failure) -> JSONObject {
        do throws(JOSEError) {
            return try token.verified(by: attesterKeys, algorithms: Set(SignatureAlgorithm.allCases)).claims
        } catch {
            throw error.failure(form: .form, algorithm: .algorithm, key: .attester, signature: .signature)
        }
    }
}
