import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A private key as the cryptographic library holds it.
enum PrivateKeyMaterial: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)

    /// A new key for the algorithm, from the library's own randomness; RSA keys have 2048 bits.
    static func generate(for algorithm: SignatureAlgorithm) throws(JOSEError) -> PrivateKeyMaterial {
        switch algorithm.curve {
        case nil:
            do { return .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)) } catch { throw .keyFailure }
        case .p256: return .p256(P256.Signing.PrivateKey())
        case .p384: return .p384(P384.Signing.PrivateKey())
        case .p521: return .p521(P521.Signing.PrivateKey())
        case .ed25519: return .ed25519(Curve25519.Signing.PrivateKey())
        }
    }

    /// Reads PKCS #8 (RFC 5958), and for RSA and EC keys also the older PKCS #1 and SEC 1 forms.
    init(pem: String, algorithm: SignatureAlgorithm) throws(JOSEError) {
        do {
            switch algorithm.curve {
            case nil: self = .rsa(try _RSA.Signing.PrivateKey(pemRepresentation: pem))
            case .p256: self = .p256(try P256.Signing.PrivateKey(pemRepresentation: pem))
            case .p384: self = .p384(try P384.Signing.PrivateKey(pemRepresentation: pem))
            case .p521: self = .p521(try P521.Signing.PrivateKey(pemRepresentation: pem))
            case .ed25519: self = .ed25519(try Curve25519.Signing.PrivateKey(pemRepresentation: pem))
            }
        } catch {
            throw .keyFailure
        }
    }

    /// PKCS #8 in PEM.
    var pem: String {
        switch self {
        case .rsa(let key): key.pkcs8PEMRepresentation
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        case .p521(let key): key.pemRepresentation
        case .ed25519(let key): key.pemRepresentation
        }
    }

    /// The signature, in the form that a JWS has it. (RFC 7518 section 3, RFC 8037 section 3.1)
    func signature(for input: [UInt8], algorithm: SignatureAlgorithm) throws(JOSEError) -> [UInt8] {
        do {
            return switch self {
            case .p256(let key): Array(try key.signature(for: SHA256.hash(data: input)).rawRepresentation)
            case .p384(let key): Array(try key.signature(for: SHA384.hash(data: input)).rawRepresentation)
            case .p521(let key): Array(try key.signature(for: SHA512.hash(data: input)).rawRepresentation)
            case .ed25519(let key): Array(try key.signature(for: input))
            case .rsa(let key):
                switch algorithm.hashAlgorithm {
                case .sha256:
                    Array(
                        try key.signature(for: SHA256.hash(data: input), padding: algorithm.padding).rawRepresentation
                    )
                case .sha384:
                    Array(
                        try key.signature(for: SHA384.hash(data: input), padding: algorithm.padding).rawRepresentation
                    )
                case .sha512:
                    Array(
                        try key.signature(for: SHA512.hash(data: input), padding: algorithm.padding).rawRepresentation
                    )
                }
            }
        } catch {
            throw .keyFailure
        }
    }
}
