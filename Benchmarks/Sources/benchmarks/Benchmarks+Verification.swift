import Crypto
import CryptoExtras
import JWTKit
import OstiaryJOSE

/// Verification of a whole token: split, decoded, key found, signature checked, claims read.
extension Benchmarks {
    static func verifyTokens() async throws {
        for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .edDSA] { try await verify(algorithm) }
    }

    private static func verify(_ algorithm: SignatureAlgorithm) async throws {
        let key = try SigningKey.generate(algorithm, keyID: "k")
        let token = try key.sign(claims: claims)
        let keys = JSONWebKeySet([key.publicKey])
        let accepted: Set<SignatureAlgorithm> = [algorithm]
        let raw = try rawCheck(algorithm, by: key.publicKey, of: token)
        let kit = JWTKeyCollection()
        try await kit.add(jwk: kitKey(algorithm, key.publicKey))
        Measurement.show(
            "Verify \(algorithm.rawValue), a token of 20 claims",
            try await Measurement.compare(
                iterations: 1000,
                [
                    ("swift-crypto alone: hash and signature", { precondition(raw()) }),
                    (
                        "ostiary: parse, key, signature, claims",
                        { _ = try UnverifiedJWT(token).verified(by: keys, algorithms: accepted) }
                    ),
                    ("jwt-kit", { _ = try await kit.verify(token, as: Claims.self) }),
                ]
            )
        )
    }

    /// The minimum of a verification: the hash of the signed part, and the check of the signature.
    static func rawCheck(
        _ algorithm: SignatureAlgorithm,
        by key: JSONWebKey,
        of token: String
    ) throws -> @Sendable () -> Bool {
        let dot = token.lastIndex(of: ".") ?? token.endIndex
        let input = Array(token[..<dot].utf8)
        let signature = try Base64URL.decode(token[token.index(after: dot)...])
        switch algorithm {
        case .es256:
            let key = try P256.Signing.PublicKey(x963Representation: [4] + member("x", of: key) + member("y", of: key))
            return {
                guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
                    return false
                }
                return key.isValidSignature(signature, for: SHA256.hash(data: input))
            }
        case .edDSA:
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: member("x", of: key))
            return { key.isValidSignature(signature, for: input) }
        default:
            let key = try _RSA.Signing.PublicKey(n: member("n", of: key), e: member("e", of: key))
            let padding = algorithm == .ps256 ? _RSA.Signing.Padding.PSS : .insecurePKCS1v1_5
            return {
                let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
                return key.isValidSignature(signature, for: SHA256.hash(data: input), padding: padding)
            }
        }
    }

    private static func member(_ name: String, of key: JSONWebKey) throws -> [UInt8] {
        try Base64URL.decode(key.jsonObject[name]?.string ?? "")
    }

    static func kitKey(_ algorithm: SignatureAlgorithm, _ key: JSONWebKey) -> JWK {
        func member(_ name: String) -> String? { key.jsonObject[name]?.string }
        return switch algorithm {
        case .es256: .ecdsa(.es256, identifier: "k", x: member("x"), y: member("y"), curve: .p256)
        case .edDSA: .octetKeyPair(.eddsa, identifier: "k", x: member("x"), y: nil, curve: .ed25519)
        case .ps256: .rsa(.ps256, identifier: "k", modulus: member("n"), exponent: member("e"))
        default: .rsa(.rs256, identifier: "k", modulus: member("n"), exponent: member("e"))
        }
    }
}
