extension JSONWebKey {
    /// Whether the key may be used with the algorithm: by its type, its curve and its own `alg`.
    public func fits(_ algorithm: SignatureAlgorithm) -> Bool {
        algorithm.keyType == keyType && algorithm.curve == curve && (self.algorithm ?? algorithm) == algorithm
    }

    /// Whether a token with this header can have been signed with the key.
    func isCandidate(keyID: String?, algorithm: SignatureAlgorithm) -> Bool {
        guard fits(algorithm), usableForVerification else { return false }
        guard let keyID else { return true }
        return NamedCheck.holds("jws.kid", self.keyID?.hasSameCodePoints(as: keyID) ?? false)
    }

    /// Whether the signature over the input was made with this key's private half. (RFC 7515 section 5.2)
    ///
    /// - Parameters:
    ///   - signature: The signature; for ECDSA the two numbers at full length, one after the other (RFC 7518 section
    ///     3.4).
    ///   - signingInput: The bytes that were signed; for a JWS everything before the second dot.
    ///   - algorithm: The algorithm to check with.
    /// - Returns: `false` also when the algorithm does not fit the key. `use` and `key_ops` are not looked at.
    public func isValidSignature(
        _ signature: [UInt8],
        for signingInput: [UInt8],
        algorithm: SignatureAlgorithm
    ) -> Bool {
        isValidSignature(signature, for: signingInput[...], algorithm: algorithm)
    }

    /// Whether the signature over the part of a larger text was made with this key's private half.
    ///
    /// - Parameters:
    ///   - signature: The signature, as in the other form of this method.
    ///   - signingInput: The bytes that were signed; they are not copied.
    ///   - algorithm: The algorithm to check with.
    /// - Returns: `false` also when the algorithm does not fit the key. `use` and `key_ops` are not looked at.
    public func isValidSignature(
        _ signature: [UInt8],
        for signingInput: ArraySlice<UInt8>,
        algorithm: SignatureAlgorithm
    ) -> Bool {
        fits(algorithm) && material.isValidSignature(signature[...], for: signingInput, algorithm: algorithm)
    }
}
