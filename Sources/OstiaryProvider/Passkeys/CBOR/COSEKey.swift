import Crypto
package import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The public keys of passkeys. (RFC 9052 section 7, RFC 9053 sections 2 and 7, RFC 8230 section 4)
package enum COSEKey {
    /// The accepted algorithms with their COSE identifiers, the preferred one first.
    ///
    /// `-8` is EdDSA, which a passkey uses with Ed25519 alone (Web Authentication Level 3 section 5.8.5).
    package static let algorithms: [(identifier: Int64, algorithm: SignatureAlgorithm)] = [
        (-7, .es256), (-8, .edDSA), (-257, .rs256),
    ]

    /// The key as a JSON Web Key whose `alg` is the only algorithm that it may be used with.
    ///
    /// It has `alg` and the parameters of its type, and no others (Web Authentication Level 3 section 6.5.1). A point is
    /// uncompressed (section 5.8.5).
    ///
    /// - Throws: `publicKey` for another algorithm, a missing or further parameter, and a key that ``JSONWebKey``
    ///   rejects.
    package static func jsonWebKey(_ value: CBORValue) throws(PasskeyFailure) -> JSONWebKey {
        guard let map = value.map, let identifier = map[Label.algorithm]?.integer,
            let algorithm = algorithms.first(where: { $0.identifier == identifier })?.algorithm
        else { throw .publicKey }
        var members: JSONObject = ["alg": .string(algorithm.rawValue)]
        func member(_ name: String, _ label: Int64) throws(PasskeyFailure) {
            guard let bytes = map[label]?.bytes else { throw .publicKey }
            members[name] = .string(Base64URL.encode(bytes))
        }
        switch algorithm {
        case .es256:
            try require(map, type: 2, curve: 1, count: 5)
            members["kty"] = "EC"
            members["crv"] = "P-256"
            try member("x", Label.x)
            try member("y", Label.y)
        case .edDSA:
            try require(map, type: 1, curve: 6, count: 4)
            members["kty"] = "OKP"
            members["crv"] = "Ed25519"
            try member("x", Label.x)
        default:
            try require(map, type: 3, curve: nil, count: 4)
            members["kty"] = "RSA"
            try member("n", Label.modulus)
            try member("e", Label.exponent)
        }
        do { return try JSONWebKey(members) } catch { throw .publicKey }
    }

    private static func require(
        _ map: CBORMap,
        type: Int64,
        curve: Int64?,
        count: Int
    ) throws(PasskeyFailure) {
        guard map.count == count, map[Label.type]?.integer == type else { throw .publicKey }
        if let curve, map[Label.curve]?.integer != curve { throw .publicKey }
    }

    /// The labels of the parameters; those of one type reuse the numbers of another's.
    private enum Label {
        static let type: Int64 = 1
        static let algorithm: Int64 = 3
        static let curve: Int64 = -1
        static let x: Int64 = -2
        static let y: Int64 = -3
        static let modulus: Int64 = -1
        static let exponent: Int64 = -2
    }
}

extension JSONWebKey {
    /// Whether a passkey with this key signed the bytes.
    ///
    /// An ECDSA signature is the DER of its two numbers (Web Authentication Level 3 section 6.5.5).
    func isValidPasskeySignature(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let algorithm else { return false }
        guard algorithm == .es256 else { return isValidSignature(signature, for: bytes, algorithm: algorithm) }
        guard let numbers = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return isValidSignature(Array(numbers.rawRepresentation), for: bytes, algorithm: algorithm)
    }
}
