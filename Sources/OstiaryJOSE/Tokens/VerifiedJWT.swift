/// A token whose signature has been verified.
///
/// Having one proves that the holder of a key signed these claims, and nothing more. Further checks decide whether the
/// claims are meant for this application and still true. Printing gives no claims and no token.
public struct VerifiedJWT: Sendable, Hashable {
    /// The header, now as trustworthy as the signer.
    public let header: JOSEHeader
    /// The algorithm that the signature was checked with.
    public let algorithm: SignatureAlgorithm
    /// The payload.
    public let claims: JSONObject
    /// The token as it came, which is a secret wherever the token grants something.
    public let compact: String

    init(header: JOSEHeader, algorithm: SignatureAlgorithm, claims: JSONObject, compact: String) {
        self.header = header
        self.algorithm = algorithm
        self.claims = claims
        self.compact = compact
    }

    /// Reads a token that this process or an earlier one verified and kept in a sealed store.
    ///
    /// The signature is not checked: the issuer may have retired the key since. Use it only for a store that no other
    /// program can write.
    ///
    /// - Throws: As ``UnverifiedJWT`` and the decoding of its payload do.
    package static func restored(compact: String) throws(JOSEError) -> VerifiedJWT {
        let token = try UnverifiedJWT(compact)
        guard let algorithm = SignatureAlgorithm(rawValue: token.header.algorithmName) else {
            throw .unsupportedAlgorithm(token.header.algorithmName.cappedForError)
        }
        return VerifiedJWT(header: token.header, algorithm: algorithm, claims: try token.claims(), compact: compact)
    }
}
