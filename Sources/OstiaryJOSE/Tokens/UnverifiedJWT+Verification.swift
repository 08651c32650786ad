extension UnverifiedJWT {
    /// The largest number of keys that are tried for one token.
    private static let maximumCandidates = 4
    /// The largest number of keys that are tried for one token, whatever its `kid` says.
    private static let maximumUnnamedCandidates = 8

    /// Checks the signature with the keys of an issuer.
    ///
    /// (RFC 7515 section 5.2, RFC 8725 section 3.1)
    ///
    /// The algorithm is checked against the caller's before a key is looked for, so the token cannot choose it. The
    /// payload is decoded only after the signature has been verified.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - algorithms: The algorithms that the caller accepts: those agreed with the issuer, not every supported one.
    /// - Returns: The token with its claims. The caller must still check issuer, audience and times.
    /// - Throws: ``JOSEError/unsupportedAlgorithm(_:)`` and ``JOSEError/algorithmNotAllowed(_:)``;
    ///   ``JOSEError/noMatchingKey(keyID:)`` when no key fits, which fetching the keys again may solve;
    ///   ``JOSEError/ambiguousKey`` when more than four fit; ``JOSEError/invalidSignature``; ``JOSEError/base64URL``
    ///   and ``JOSEError/json(_:)`` when the payload is not a JSON object.
    public func verified(
        by keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> VerifiedJWT {
        let algorithm = try algorithm(among: algorithms)
        let keys = keys.keys
        func isCandidate(_ key: JSONWebKey) -> Bool { key.isCandidate(keyID: header.keyID, algorithm: algorithm) }
        func isValidSignature(by key: JSONWebKey) -> Bool {
            key.isValidSignature(signature, for: signingInput, algorithm: algorithm)
        }
        guard let first = keys.firstIndex(where: isCandidate) else { throw noMatchingKey }
        let others = keys[(first + 1)...]
        let count = 1 + others.count(where: isCandidate)
        guard NamedCheck.holds("jws.candidates", count <= Self.maximumCandidates) else { throw .ambiguousKey }
        let isValid =
            isValidSignature(by: keys[first]) || others.contains { isCandidate($0) && isValidSignature(by: $0) }
        guard NamedCheck.holds("jws.signature", isValid) else { throw .invalidSignature }
        return try verified(algorithm)
    }

    /// Checks the signature with every key that fits the algorithm, whatever the token's `kid` says.
    ///
    /// `kid` is a hint (RFC 7515 section 4.1.4), and some issuers sign with a new key under an old name. Use it only
    /// for a token in the response to this client's own request: other senders could make a receiver try eight keys for
    /// each token.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys; the first eight that fit are tried.
    ///   - algorithms: The algorithms that the caller accepts.
    /// - Returns: The token with its claims. The caller must still check issuer, audience and times.
    /// - Throws: As ``verified(by:algorithms:)-(JSONWebKeySet,_)`` does, but never ``JOSEError/ambiguousKey``.
    package func verified(
        byAnyOf keys: JSONWebKeySet,
        algorithms: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> VerifiedJWT {
        let algorithm = try algorithm(among: algorithms)
        let positions = keys.keys.indices.filter { keys.keys[$0].isCandidate(keyID: nil, algorithm: algorithm) }
        guard !positions.isEmpty else { throw noMatchingKey }
        let isValid = positions.prefix(Self.maximumUnnamedCandidates).contains {
            keys.keys[$0].isValidSignature(signature, for: signingInput, algorithm: algorithm)
        }
        guard NamedCheck.holds("jws.signature.any_key", isValid) else { throw .invalidSignature }
        return try verified(algorithm)
    }

    /// Checks the signature with one key that the caller has chosen, such as the key of a DPoP proof.
    ///
    /// - Parameters:
    ///   - key: The key. If both it and the token have an identifier, they must be equal.
    ///   - algorithms: The algorithms that the caller accepts.
    /// - Returns: The token with its claims. Issuer, audience and times are still to be checked.
    /// - Throws: As ``verified(by:algorithms:)-(JSONWebKeySet,_)`` does.
    public func verified(
        by key: JSONWebKey,
        algorithms: Set<SignatureAlgorithm>
    ) throws(JOSEError) -> VerifiedJWT {
        let algorithm = try algorithm(among: algorithms)
        guard key.fits(algorithm), key.usableForVerification else { throw noMatchingKey }
        if let named = header.keyID, let own = key.keyID, !named.hasSameCodePoints(as: own) { throw noMatchingKey }
        let isValid = key.isValidSignature(signature, for: signingInput, algorithm: algorithm)
        guard NamedCheck.holds("jws.signature.one_key", isValid) else { throw .invalidSignature }
        return try verified(algorithm)
    }

    private func algorithm(among accepted: Set<SignatureAlgorithm>) throws(JOSEError) -> SignatureAlgorithm {
        guard let algorithm = SignatureAlgorithm(rawValue: header.algorithmName) else {
            throw .unsupportedAlgorithm(header.algorithmName.cappedForError)
        }
        guard NamedCheck.holds("jws.alg", accepted.contains(algorithm)) else {
            throw .algorithmNotAllowed(algorithm.rawValue)
        }
        return algorithm
    }

    private var noMatchingKey: JOSEError {
        .noMatchingKey(keyID: header.keyID?.cappedForError)
    }

    /// Returns the token with its claims, once its signature has been verified.
    private func verified(_ algorithm: SignatureAlgorithm) throws(JOSEError) -> VerifiedJWT {
        VerifiedJWT(header: header, algorithm: algorithm, claims: try claims(), compact: compact)
    }
}
