import Crypto
import CryptoExtras
public import OstiaryJOSE

extension Subject {
    /// Verification of a whole token: split, decoded, key found, signature checked, claims read.
    public static func verification(of token: String, by key: SigningKey) throws -> Subject {
        let keys = JSONWebKeySet([key.publicKey])
        let accepted: Set<SignatureAlgorithm> = [key.algorithm]
        return Subject(
            title: "Verify \(key.algorithm.rawValue), a token of 20 claims",
            rows: [
                try raw(of: token, by: key),
                Row("ostiary: parse, key, signature, claims") {
                    _ = try UnverifiedJWT(token).verified(by: keys, algorithms: accepted)
                },
            ]
        )
    }

    /// The last key of a set with ten and a hundred times as many.
    public static func growingKeySet() throws -> Subject {
        let last = try SigningKey.generate(.es256, keyID: "k")
        let token = try last.sign(claims: claims)
        return Subject(
            title: "Verify ES256 with the last key of a set",
            rows: try [1, 10, 100].map { count in
                let others = try (1..<count).map { try SigningKey.generate(.es256, keyID: "\($0)").publicKey }
                let keys = JSONWebKeySet(others + [last.publicKey])
                return Row("keys: \(count)") { _ = try UnverifiedJWT(token).verified(by: keys, algorithms: [.es256]) }
            }
        )
    }

    /// The minimum of a verification.
    static func raw(of token: String, by key: SigningKey) throws -> Row {
        let holds = try rawCheck(key.algorithm, by: key.publicKey, of: token)
        return Row("swift-crypto alone: hash and signature") { precondition(holds()) }
    }

    /// The hash of the signed part, and the check of the signature.
    private static func rawCheck(
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
}
