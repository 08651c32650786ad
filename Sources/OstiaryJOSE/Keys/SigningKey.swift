/// A private key that signs tokens, bound to one algorithm.
///
/// (RFC 8725 section 3.1)
///
/// Printing, dumping or reflecting a signing key gives its algorithm and identifier only. ``pemRepresentation()`` and
/// ``privateJWK()`` return the private half, for a store that seals it. The private half of an ``ExternalKey`` is never
/// returned.
public struct SigningKey: Sendable {
    /// The only algorithm that this key signs with.
    public let algorithm: SignatureAlgorithm
    /// The identifier that tokens name the key by.
    public let keyID: String
    /// The public half, with `alg`, `use` and `kid`, as it belongs in a key set.
    public let publicKey: JSONWebKey

    /// The key of other hardware that signs; `nil` when the private half is in this process's memory.
    public let external: ExternalKey?

    private let material: PrivateKeyMaterial?

    /// Makes a new key; RSA keys have 2048 bits.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm that the key will sign with.
    ///   - keyID: The identifier; by default the thumbprint of the key (RFC 7638).
    /// - Returns: A key that exists nowhere else yet.
    /// - Throws: ``JOSEError/keyFailure`` when the library cannot make one.
    public static func generate(
        _ algorithm: SignatureAlgorithm,
        keyID: String? = nil
    ) throws(JOSEError) -> SigningKey {
        try SigningKey(PrivateKeyMaterial.generate(for: algorithm), algorithm, keyID)
    }

    /// Reads a key from PEM.
    ///
    /// - Parameters:
    ///   - pem: An unencrypted private key: PKCS #8, or for RSA and EC keys also PKCS #1 and SEC 1.
    ///   - algorithm: The algorithm that the key will sign with; it must fit the kind of key.
    ///   - keyID: The identifier; by default the thumbprint of the key (RFC 7638).
    /// - Throws: ``JOSEError/keyFailure`` when the text is not such a key.
    public init(pem: String, algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JOSEError) {
        try self.init(PrivateKeyMaterial(pem: pem, algorithm: algorithm), algorithm, keyID)
    }

    /// Reads a key from a private JSON Web Key. (RFC 7517)
    ///
    /// - Parameters:
    ///   - privateJWK: The key with its private members; for RSA `d`, `p` and `q`. Its `kid`, or else its thumbprint,
    ///     becomes the identifier.
    ///   - algorithm: The algorithm that the key will sign with; `nil` to take the key's `alg`, or what its curve
    ///     implies.
    /// - Throws: ``JOSEError/malformed(_:)`` when a member is missing or contradicts another,
    ///   ``JOSEError/symmetricKey`` for a shared secret, ``JOSEError/keyFailure`` when the library refuses the numbers.
    public init(privateJWK: JSONObject, algorithm: SignatureAlgorithm?) throws(JOSEError) {
        let members = JSONWebKeyMembers(privateJWK)
        guard privateJWK["kty"]?.string != "oct", privateJWK["k"] == nil else { throw .symmetricKey }
        let keyType = try members.keyType()
        let curve = try members.curve(of: keyType)
        let named = try members.algorithm(for: keyType, curve: curve)
        guard let chosen = algorithm ?? named ?? curve?.impliedAlgorithm else { throw .malformed("alg") }
        guard chosen.keyType == keyType, chosen.curve == curve, (named ?? chosen) == chosen else {
            throw .malformed("alg does not fit the key")
        }
        let material = try PrivateKeyMaterial(members, keyType: keyType, curve: curve)
        // With the public half of another key, no receiver could verify the tokens.
        for member in try material.publicMembers().members {
            guard privateJWK[member.name] == member.value else { throw .malformed("public and private key differ") }
        }
        try self.init(material, chosen, members.optionalString("kid"))
    }

    /// Signs with a key that other hardware keeps.
    ///
    /// - Parameters:
    ///   - external: The key.
    ///   - keyID: The identifier; by default the thumbprint of the key (RFC 7638).
    /// - Throws: ``JOSEError`` when the key has no thumbprint to be named by.
    public init(_ external: ExternalKey, keyID: String? = nil) throws(JOSEError) {
        try self.init(nil, external, public: external.publicMembers, external.algorithm, keyID)
    }

    private init(_ material: PrivateKeyMaterial, _ algorithm: SignatureAlgorithm, _ keyID: String?) throws(JOSEError) {
        try self.init(material, nil, public: try material.publicMembers(), algorithm, keyID)
    }

    private init(
        _ material: PrivateKeyMaterial?,
        _ external: ExternalKey?,
        public members: JSONObject,
        _ algorithm: SignatureAlgorithm,
        _ keyID: String?
    ) throws(JOSEError) {
        var members = members
        let keyID = if let keyID { keyID } else { try JSONWebKey(members).thumbprint() }
        members["kid"] = .string(keyID)
        members["alg"] = .string(algorithm.rawValue)
        members["use"] = "sig"
        publicKey = try JSONWebKey(members)
        self.material = material
        self.external = external
        self.algorithm = algorithm
        self.keyID = keyID
    }

    /// The private key as PKCS #8 in PEM, a secret for a sealed store; the empty text for an ``ExternalKey``.
    public func pemRepresentation() -> String {
        material?.pem ?? ""
    }

    /// The private key as a JSON Web Key, a secret for a sealed store.
    ///
    /// (RFC 7517 section 9.2)
    ///
    /// - Returns: The members of ``publicKey`` and the private ones.
    /// - Throws: ``JOSEError/keyFailure`` when the library does not hand out the key, as other hardware never does.
    public func privateJWK() throws(JOSEError) -> JSONObject {
        guard let material else { throw .keyFailure }
        var members = publicKey.jsonObject
        for member in try material.privateMembers().members { members[member.name] = member.value }
        return members
    }

    /// The signature over the bytes, in the form that a JWS has it. (RFC 7518 section 3)
    ///
    /// - Throws: ``JOSEError/keyFailure`` when the library cannot sign; for an ``ExternalKey`` also
    ///   ``JOSEError/keyLost`` and ``JOSEError/keyLocked``.
    public func signature(for bytes: [UInt8]) throws(JOSEError) -> [UInt8] {
        if let external { return try external.signature(for: bytes) }
        guard let material else { throw .keyFailure }
        return try material.signature(for: bytes, algorithm: algorithm)
    }
}

extension JSONWebKey.Curve {
    /// The only algorithm that signs with this curve.
    fileprivate var impliedAlgorithm: SignatureAlgorithm {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        case .ed25519: .edDSA
        }
    }
}

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

extension SigningKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The algorithm and the identifier; never the key.
    public var description: String {
        "SigningKey(\(algorithm.rawValue), \(keyID))"
    }

    /// The algorithm and the identifier; never the key.
    public var debugDescription: String { description }

    /// A mirror of the algorithm and the identifier; never of the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["algorithm": algorithm.rawValue, "keyID": keyID], displayStyle: .struct)
    }
}
