/// A public key that signatures are checked with. (RFC 7517, RFC 7518 section 6, RFC 8037 section 2)
///
/// Having one proves that the key is public, of a supported type, strong enough, on its curve, and in agreement with
/// its own `alg`. The key is read once, here; checking a signature reads it no more.
public struct JSONWebKey: Sendable {
    /// The family that a key belongs to, `kty`.
    public enum KeyType: String, Sendable, Hashable {
        /// RSA.
        case rsa = "RSA"
        /// Elliptic curve, for ECDSA.
        case ec = "EC"
        /// Octet key pair, for EdDSA.
        case okp = "OKP"
    }

    /// The curve of an elliptic curve or octet key pair, `crv`.
    public enum Curve: String, Sendable, Hashable {
        /// NIST P-256.
        case p256 = "P-256"
        /// NIST P-384.
        case p384 = "P-384"
        /// NIST P-521.
        case p521 = "P-521"
        /// Edwards 25519.
        case ed25519 = "Ed25519"

        /// Bytes of a coordinate or, for Ed25519, of the public key.
        var byteCount: Int {
            switch self {
            case .p256, .ed25519: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    /// The parsed members, shared by all copies of the key.
    private let parts: Parts

    private final class Parts: Sendable {
        let keyType: KeyType
        let curve: Curve?
        let keyID: String?
        let algorithm: SignatureAlgorithm?
        let use: String?
        let keyOperations: [String]?
        let jsonObject: JSONObject
        let material: PublicKeyMaterial
        let usableForVerification: Bool

        init(_ members: JSONWebKeyMembers, _ known: (KeyType) -> JSONObject) throws(JOSEError) {
            keyType = try members.keyType()
            curve = try members.curve(of: keyType)
            keyID = try members.optionalString("kid")
            algorithm = try members.algorithm(for: keyType, curve: curve)
            use = try members.optionalString("use")
            keyOperations = try members.keyOperations()
            material = try PublicKeyMaterial(members, keyType: keyType, curve: curve)
            jsonObject = known(keyType)
            usableForVerification = (use ?? "sig") == "sig" && keyOperations?.contains("verify") ?? true
        }
    }

    /// The family of the key.
    public var keyType: KeyType { parts.keyType }
    /// The curve; `nil` for RSA.
    public var curve: Curve? { parts.curve }
    /// The identifier that a token names the key by, `kid`.
    public var keyID: String? { parts.keyID }
    /// The only algorithm that the key may be used with, `alg`; `nil` when the key does not say.
    public var algorithm: SignatureAlgorithm? { parts.algorithm }
    /// The intended use of the key, `use`: `sig` or `enc`.
    public var use: String? { parts.use }
    /// The permitted operations of the key, `key_ops`.
    public var keyOperations: [String]? { parts.keyOperations }
    /// The public members that this type understands, and no others.
    public var jsonObject: JSONObject { parts.jsonObject }

    var material: PublicKeyMaterial { parts.material }

    /// Reads a key.
    ///
    /// Unknown members are ignored. (RFC 7517 section 4)
    ///
    /// - Throws: ``JOSEError/privateKeyMaterial`` or ``JOSEError/symmetricKey`` for a key that is not public,
    ///   ``JOSEError/weakKey`` for an unsafe RSA key, ``JOSEError/unsupportedKey(_:)`` and
    ///   ``JOSEError/unsupportedAlgorithm(_:)`` for what is unknown here, ``JOSEError/keyFailure`` for a point off its
    ///   curve, ``JOSEError/malformed(_:)`` otherwise.
    public init(_ object: JSONObject) throws(JOSEError) {
        let members = JSONWebKeyMembers(object)
        try members.refusePrivateMembers()
        parts = try Parts(members) { keyType in
            // RSA keys have no coordinates, EC keys no modulus: what a key type does not define stays out.
            let names = ["kty", "crv", "n", "e", "x", "y", "kid", "alg", "use", "key_ops"]
            return object.members(named: names.filter { !keyType.foreignMembers.contains($0) })
        }
    }

    /// Whether the key's own `use` and `key_ops` allow it to check signatures. (RFC 7517 sections 4.2 and 4.3)
    public var usableForVerification: Bool { parts.usableForVerification }

    /// The RFC 7638 thumbprint with SHA-256, as base64url.
    public func thumbprint() -> String {
        // The required members only, in lexicographic order. (RFC 7638 section 3.2, RFC 8037 section 2)
        let required = jsonObject.members(named: keyType.requiredMembers)
        return Base64URL.encode(HashAlgorithm.sha256.hash(required.encoded()))
    }
}

extension JSONWebKey: Hashable {
    /// Whether both keys have the same public members.
    public static func == (first: JSONWebKey, second: JSONWebKey) -> Bool {
        first.jsonObject == second.jsonObject
    }

    /// Feeds the public members to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(jsonObject)
    }
}

extension JSONWebKey.KeyType {
    /// The members that define a key of this type, in lexicographic order.
    fileprivate var requiredMembers: [String] {
        switch self {
        case .rsa: ["e", "kty", "n"]
        case .ec: ["crv", "kty", "x", "y"]
        case .okp: ["crv", "kty", "x"]
        }
    }

    fileprivate var foreignMembers: [String] {
        switch self {
        case .rsa: ["crv", "x", "y"]
        case .ec: ["n", "e"]
        case .okp: ["n", "e", "y"]
        }
    }
}

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
