package import HTTPTypes
package import OstiaryJOSE

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The receiver's check of a DPoP proof (RFC 9449 section 4.3).
///
/// The check is stateless. Its caller must reject a second proof with the same key and `jti` while the first would
/// still be accepted. The caller must also compare the nonce with those that it issued.
package struct DPoPProofCheck: Sendable {
    /// The longest proof that is read, in bytes.
    package static let maximumBytes = 8_192
    /// The longest `jti` that is accepted, in bytes: it is going to be remembered.
    package static let maximumIdentifierBytes = 256

    /// The accepted signature algorithms.
    package var algorithms: Set<SignatureAlgorithm>
    /// The maximum age of a proof, in seconds.
    package var acceptedAge: Double
    /// The maximum time in seconds by which the sender's clock may be ahead.
    package var acceptedLead: Double

    package init(
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases),
        acceptedAge: Double = 60,
        acceptedLead: Double = 10
    ) {
        self.algorithms = algorithms
        self.acceptedAge = acceptedAge
        self.acceptedLead = acceptedLead
    }

    /// The content of a valid proof.
    package struct Proof: Sendable, Hashable {
        /// The RFC 7638 thumbprint of the key that signed it, in base64url.
        package let thumbprint: String
        /// The identifier, unique for the key.
        package let jti: String
        /// The nonce in the proof; `nil` for none.
        package let nonce: String?
        /// The time in `iat`.
        package let issuedAt: Date
    }

    /// The check that a proof did not pass.
    package enum Failure: String, Error, Sendable, Hashable, CaseIterable {
        /// It is not a compact JSON Web Token with a JSON payload, or is too long.
        case form
        /// `typ` is not `dpop+jwt`.
        case type
        /// `alg` is not one of those accepted.
        case algorithm
        /// There is no `jwk`, or it is not a public key that can check this signature.
        case key
        /// `jwk` holds a private or a shared key.
        case privateKey
        /// The key did not make the signature.
        case signature
        /// `jti` is missing, empty or too long.
        case identifier
        /// `htm` is another method.
        case method
        /// `htu` is another URL.
        case url
        /// `iat` is missing, too old or in the future.
        case time
        /// `nonce` is not a string.
        case nonce
        /// `ath` is not the hash of the access token.
        case accessTokenHash
    }

    /// Checks a proof.
    ///
    /// - Parameters:
    ///   - compact: The only `DPoP` field of the request.
    ///   - method: The method of the request.
    ///   - url: The URL of the request; query and fragment do not count.
    ///   - accessToken: The token that the request presents; `nil` where there is none, and then `ath` does not count.
    ///   - now: The receiver's time.
    /// - Returns: The checked proof.
    /// - Throws: The first check that failed.
    package func proof(
        _ compact: String,
        method: HTTPRequest.Method,
        url: String,
        accessToken: Secret? = nil,
        now: Date
    ) throws(Failure) -> Proof {
        try proof(compact, method: method, urls: [url], accessToken: accessToken, now: now)
    }

    /// Checks a proof for a request that has several URLs, because the receiver has several names.
    ///
    /// The proof must be for one of `urls`.
    ///
    /// - Throws: The first check that failed.
    package func proof(
        _ compact: String,
        method: HTTPRequest.Method,
        urls: [String],
        accessToken: Secret? = nil,
        now: Date
    ) throws(Failure) -> Proof {
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT(compact, maximumBytes: Self.maximumBytes) } catch { throw .form }
        // The type keeps a token of another kind, signed by the same key, from being taken for a proof.
        guard NamedCheck.holds("dpop_proof.typ", token.header.type == "dpop+jwt") else { throw .type }
        let key = try Self.key(of: token.header)
        let claims = try claims(of: token, key)
        guard let jti = claims["jti"]?.string, (1...Self.maximumIdentifierBytes).contains(jti.utf8.count) else {
            throw .identifier
        }
        let htm = claims["htm"]?.string
        guard NamedCheck.holds("dpop_proof.htm", htm?.utf8.elementsEqual(method.rawValue.utf8) ?? false) else {
            throw .method
        }
        let htu = claims["htu"]?.string
        let isOfRequest = htu.map { htu in urls.contains { Self.isSame(htu, $0) } } ?? false
        guard NamedCheck.holds("dpop_proof.htu", isOfRequest) else { throw .url }
        guard let seconds = claims["iat"]?.number, NamedCheck.holds("dpop_proof.iat", isAccepted(seconds, now)) else {
            throw .time
        }
        let nonce = claims["nonce"]?.string
        guard nonce != nil || claims["nonce"] == nil else { throw .nonce }
        if let accessToken {
            let hash = Base64URL.encode(HashAlgorithm.sha256.hash(Array(accessToken.reveal().utf8)))
            let isBound = claims["ath"]?.string.map { constantTimeEqual($0, hash) } ?? false
            guard NamedCheck.holds("dpop_proof.ath", isBound) else { throw .accessTokenHash }
        }
        return Proof(
            thumbprint: key.thumbprint(),
            jti: jti,
            nonce: nonce,
            issuedAt: Date(timeIntervalSince1970: seconds)
        )
    }

    private static func key(of header: JOSEHeader) throws(Failure) -> JSONWebKey {
        guard let members = header.parameters["jwk"]?.object else { throw .key }
        do throws(JOSEError) {
            return try JSONWebKey(members)
        } catch {
            switch error {
            case .privateKeyMaterial, .symmetricKey: throw .privateKey
            default: throw .key
            }
        }
    }

    private func claims(of token: UnverifiedJWT, _ key: JSONWebKey) throws(Failure) -> JSONObject {
        do throws(JOSEError) {
            return try token.verified(by: key, algorithms: algorithms).claims
        } catch {
            throw error.failure(form: .form, algorithm: .algorithm, key: .key, signature: .signature)
        }
    }

    private func isAccepted(_ seconds: Double, _ now: Date) -> Bool {
        let age = now.timeIntervalSince1970 - seconds
        return -acceptedLead...acceptedAge ~= age
    }

    /// Whether two URLs name the same target (RFC 9449 section 4.3, item 9).
    ///
    /// The scheme and the host have no case and the scheme's own port need not be written; nothing else is made equal.
    private static func isSame(_ claimed: String, _ actual: String) -> Bool {
        guard let first = URIParts(claimed), let claimedAuthority = first.authority, claimedAuthority.userInfo == nil
        else { return false }
        // Most clients write the URL as this server does.
        if claimed.utf8.elementsEqual(actual.utf8) { return true }
        guard let second = URIParts(actual), first.scheme == second.scheme, let actualAuthority = second.authority
        else { return false }
        return claimedAuthority.host == actualAuthority.host && first.effectivePort == second.effectivePort
            && first.path == second.path
    }
}
