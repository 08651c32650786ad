import Crypto
import CryptoExtras
import OstiaryJOSE

extension Counts {
    /// The minimum of a verification: the hash of the signed part, and the check of the signature.
    static func rawCheck(
        _ algorithm: SignatureAlgorithm,
        by key: JSONWebKey,
        of token: String
    ) throws -> () -> Bool {
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
