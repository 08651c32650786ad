/// A signature algorithm of a JWS. (RFC 7518 section 3.1, RFC 8037 section 3.1, RFC 9864 section 2.2)
///
/// The set is closed and asymmetric. `none` has no case, so no header can turn the check off; neither has HMAC, so no
/// public key can be taken for a shared secret. Code that cannot write an algorithm cannot be talked into using it.
/// (RFC 8725 sections 2.1 and 3.1)
public enum SignatureAlgorithm: String, CaseIterable, Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes.
    case ps256 = "PS256"
    /// RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 bytes.
    case ps384 = "PS384"
    /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt of 64 bytes.
    case ps512 = "PS512"
    /// ECDSA with P-256 and SHA-256.
    case es256 = "ES256"
    /// ECDSA with P-384 and SHA-384.
    case es384 = "ES384"
    /// ECDSA with P-521 and SHA-512.
    case es512 = "ES512"
    /// EdDSA with Ed25519, by the name that does not say which curve. RFC 9864 deprecates the name.
    case edDSA = "EdDSA"
    /// EdDSA with Ed25519, by its own name. (RFC 9864 section 2.2)
    ///
    /// The signature is that of ``edDSA``. A key or a policy that names one of the two does not allow the other.
    case ed25519 = "Ed25519"

    /// The type of key that the algorithm signs with.
    public var keyType: JSONWebKey.KeyType {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: .rsa
        case .es256, .es384, .es512: .ec
        case .edDSA, .ed25519: .okp
        }
    }

    /// The curve that the algorithm signs with; `nil` for RSA.
    ///
    /// An ECDSA algorithm is bound to one curve. (RFC 7518 section 3.4)
    public var curve: JSONWebKey.Curve? {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: nil
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA, .ed25519: .ed25519
        }
    }

    /// The hash that belongs to the algorithm, for signing and for token hashes.
    ///
    /// For EdDSA it is SHA-512, which Ed25519 uses inside. Some servers hash tokens with SHA-256 then;
    /// ``HashAlgorithm/leftHalf(of:)`` computes that too.
    public var hashAlgorithm: HashAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA, .ed25519: .sha512
        }
    }

    /// The value that `at_hash` or `c_hash` must have for a token or code. (OpenID Connect Core section 3.1.3.6)
    ///
    /// - Parameter ascii: The token or code, as it came.
    /// - Returns: The left half of the hash, as base64url.
    public func leftHalfHash(of ascii: String) -> String {
        hashAlgorithm.leftHalf(of: ascii)
    }
}
