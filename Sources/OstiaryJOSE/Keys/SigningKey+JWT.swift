extension SigningKey {
    /// Signs claims and returns the compact token.
    ///
    /// (RFC 7519 section 7.1, RFC 7515 section 7.1)
    ///
    /// The header has `alg`, `kid` and `typ` in this order, then the members of `extraHeader`. A token that carries its
    /// key as `jwk`, such as a DPoP proof, has no `kid`: the key identifies itself (RFC 9449 section 4.2).
    ///
    /// - Parameters:
    ///   - claims: The payload, written in this order.
    ///   - type: The `typ`, such as `JWT` or `at+jwt`; `nil` for none. (RFC 8725 section 3.11)
    ///   - extraHeader: More header members; not `alg`, `kid`, `typ`, `crit` or `b64`.
    /// - Returns: The token in compact form.
    /// - Throws: ``JOSEError/malformed(_:)`` when `extraHeader` has one of those members, ``JOSEError/keyFailure`` when
    ///   the library cannot sign.
    public func sign(
        claims: JSONObject,
        type: String? = "JWT",
        extraHeader: JSONObject = [:]
    ) throws(JOSEError) -> String {
        for name in ["alg", "kid", "typ", "crit", "b64"] where extraHeader[name] != nil {
            throw .malformed("extraHeader")
        }
        var header: JSONObject = ["alg": .string(algorithm.rawValue)]
        if extraHeader["jwk"] == nil { header["kid"] = .string(keyID) }
        header["typ"] = type.map { .string($0) }
        for member in extraHeader.members { header[member.name] = member.value }

        var token: [UInt8] = []
        token.reserveCapacity(1024)
        Base64URL.append(header.encoded(), to: &token)
        token.append(ASCII.dot)
        Base64URL.append(claims.encoded(), to: &token)
        let signature = try signature(for: token)
        token.append(ASCII.dot)
        Base64URL.append(signature, to: &token)
        return String(decoding: token, as: UTF8.self)
    }
}
