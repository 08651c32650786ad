/// The reason a token, a key or a JSON text was rejected.
///
/// Branch on the case. The text in a case is a fixed phrase or a name that came from outside, such as a key
/// identifier, cut to 64 characters and free of control characters; it is never a claim, a signature or a key.
public enum JOSEError: Error, Sendable, Hashable {
    /// The token or key does not have the form that its RFC requires; the text names the part.
    case malformed(String)
    /// The token, the key set or the key is larger than the limit.
    case tooLarge
    /// The JSON of a header, a payload or a key set was refused.
    case json(JSONError)
    /// A part is not base64url without padding. (RFC 7515 section 2)
    case base64URL
    /// The algorithm is unknown here, or is `none`, an HMAC or an encryption algorithm.
    case unsupportedAlgorithm(String)
    /// The algorithm is known, but the caller does not accept it. (RFC 8725 section 3.1)
    case algorithmNotAllowed(String)
    /// The key type or the curve is not one of the supported signature keys.
    case unsupportedKey(String)
    /// The header has `crit` or `b64`: no extension is understood here. (RFC 7515 section 4.1.11, RFC 7797)
    case criticalHeader
    /// No key fits the token's key identifier and algorithm. Fetching the key set again may help.
    case noMatchingKey(keyID: String?)
    /// More keys fit the token than are tried, so that an attacker cannot cause unlimited work.
    case ambiguousKey
    /// No key that fits made this signature.
    case invalidSignature
    /// The RSA key is shorter than 2048 bits, or its modulus or exponent is unsafe. (RFC 7518 section 3.3)
    case weakKey
    /// Private members stand where a public key belongs. (RFC 7517 section 9.2)
    case privateKeyMaterial
    /// A symmetric key stands where a public key belongs.
    case symmetricKey
    /// The cryptographic library refused the key, such as for a point that is not on its curve, or failed to sign.
    case keyFailure
    /// The hardware that held the key no longer knows it, such as on a phone that was restored from another's
    /// backup. It never comes back.
    case keyLost
    /// The key is kept by hardware that does not open it now, such as on a locked device.
    case keyLocked
}

extension JOSEError {
    /// Returns the failure of a verifier whose token ``UnverifiedJWT`` rejected with this error.
    ///
    /// - Parameters:
    ///   - form: The failure for a token that cannot be read.
    ///   - critical: The failure for an extension that must be understood. Default: that of the form.
    ///   - algorithm: The failure for an algorithm that is unknown or not accepted.
    ///   - key: The failure for a token that no key fits, or too many.
    ///   - signature: The failure for a signature that no fitting key made.
    /// - Returns: One of the given failures.
    package func failure<Failure>(
        form: Failure,
        critical: Failure? = nil,
        algorithm: Failure,
        key: Failure,
        signature: Failure
    ) -> Failure {
        switch self {
        case .criticalHeader: critical ?? form
        case .unsupportedAlgorithm, .algorithmNotAllowed: algorithm
        case .noMatchingKey, .ambiguousKey: key
        case .invalidSignature: signature
        default: form
        }
    }
}

extension String {
    /// The text, made fit for an error: at most 64 characters and no control characters, which could forge log lines.
    var cappedForError: String {
        var capped = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(64) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            capped.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(capped)
    }
}
