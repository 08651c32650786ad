import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The key as the cryptographic library holds it, read once.
enum PublicKeyMaterial: Sendable {
    case rsa(_RSA.Signing.PublicKey, signatureByteCount: Int)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    init(
        _ members: JSONWebKeyMembers,
        keyType: JSONWebKey.KeyType,
        curve: JSONWebKey.Curve?
    ) throws(JOSEError) {
        guard let curve else {
            self = try Self.rsa(modulus: members.integer("n"), exponent: members.integer("e"))
            return
        }
        let x = try members.bytes("x", count: curve.byteCount)
        // The library checks that the point is on the curve; an attacker's point elsewhere could leak or forge.
        let point = curve == .ed25519 ? x : [0x04] + x + (try members.bytes("y", count: curve.byteCount))
        guard curve != .ed25519 || !Ed25519Point.hasSmallOrder(x) else { throw .weakKey }
        guard curve != .ed25519 || Ed25519Point.isReduced(x) else { throw .keyFailure }
        do {
            switch curve {
            case .p256: self = .p256(try P256.Signing.PublicKey(x963Representation: point))
            case .p384: self = .p384(try P384.Signing.PublicKey(x963Representation: point))
            case .p521: self = .p521(try P521.Signing.PublicKey(x963Representation: point))
            case .ed25519: self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: point))
            }
        } catch {
            throw .keyFailure
        }
    }

    /// An RSA key of 2048 to 16,384 bits with an odd modulus and an odd exponent from 3 up to 64 bits.
    ///
    /// Shorter keys, and keys of a known faulty generator, can be factored (RFC 7518 section 3.3). Longer ones and huge
    /// exponents let a sender make the receiver compute.
    private static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(JOSEError) -> PublicKeyMaterial {
        let bitCount = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bitCount <= 16_384 else { throw .tooLarge }
        guard bitCount >= 2048, let lastOfModulus = modulus.last, lastOfModulus & 1 == 1 else { throw .weakKey }
        guard exponent.count <= 8, let lastOfExponent = exponent.last, lastOfExponent & 1 == 1, exponent != [1] else {
            throw .weakKey
        }
        guard !RSAModulus.canBeFactored(modulus) else { throw .weakKey }
        do {
            return .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent), signatureByteCount: modulus.count)
        } catch {
            throw .keyFailure
        }
    }

    /// Whether the signature was made over the bytes; `false` when the algorithm does not fit the key.
    func isValidSignature(
        _ signature: ArraySlice<UInt8>,
        for input: ArraySlice<UInt8>,
        algorithm: SignatureAlgorithm
    ) -> Bool {
        switch (self, algorithm) {
        case (.rsa(let key, let byteCount), .rs256), (.rsa(let key, let byteCount), .rs384),
            (.rsa(let key, let byteCount), .rs512), (.rsa(let key, let byteCount), .ps256),
            (.rsa(let key, let byteCount), .ps384), (.rsa(let key, let byteCount), .ps512):
            // RFC 8017 sections 8.1.2 and 8.2.2, step 1: the signature is as long as the modulus.
            guard signature.count == byteCount else { return false }
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            let padding = algorithm.padding
            return switch algorithm.hashAlgorithm {
            case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: input), padding: padding)
            case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: input), padding: padding)
            case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: input), padding: padding)
            }
        // The library takes r and s at their full length only. (RFC 7518 section 3.4)
        case (.p256(let key), .es256):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: input))
        case (.p384(let key), .es384):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA384.hash(data: input))
        case (.p521(let key), .es512):
            guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA512.hash(data: input))
        case (.ed25519(let key), .edDSA), (.ed25519(let key), .ed25519):
            return key.isValidSignature(signature, for: input)
        default:
            return false
        }
    }
}

extension SignatureAlgorithm {
    /// The RSA padding; the library's PSS uses the same hash for MGF1 and a salt as long as the hash.
    /// (RFC 7518 sections 3.3 and 3.5)
    var padding: _RSA.Signing.Padding {
        switch self {
        case .ps256, .ps384, .ps512: .PSS
        default: .insecurePKCS1v1_5
        }
    }
}
