public import OstiaryJOSE

/// A JSON Web Token that is about to be signed.
public struct TokenDraft: Sendable {
    /// The signature of the token.
    public enum Signature: Sendable {
        /// A valid signature.
        case valid
        /// Every octet of the signature is changed, as the OpenID Foundation's suite does it: XOR 0x5A.
        case damaged
        /// Not at all.
        case absent
        /// With these octets instead.
        case other(@Sendable (_ signingInput: [UInt8]) -> [UInt8])
    }

    /// The header.
    public var header: JSONObject
    /// The payload.
    public var claims: JSONObject
    /// The signature of the token.
    public var signature: Signature
    /// The grant type of the token request.
    public let occasion: RegisteredClient.GrantType
    /// The provider's keys for other algorithms.
    let otherKeys: [SigningKey]

    init(
        claims: JSONObject,
        type: String,
        key: SigningKey,
        otherKeys: [SigningKey],
        occasion: RegisteredClient.GrantType
    ) {
        header = ["alg": .string(key.algorithm.rawValue), "kid": .string(key.keyID), "typ": .string(type)]
        self.claims = claims
        self.occasion = occasion
        self.otherKeys = otherKeys
        signature = .valid
    }

    /// The compact token.
    func signed(by key: SigningKey) throws(JOSEError) -> String {
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        let bytes = Array(input.utf8)
        let signature: [UInt8] =
            switch self.signature {
            case .valid: try key.signature(for: bytes)
            case .damaged: try key.signature(for: bytes).map { $0 ^ 0x5A }
            case .absent: []
            case .other(let make): make(bytes)
            }
        return input + "." + Base64URL.encode(signature)
    }
}
