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

extension PrivateKeyMaterial {
    /// Reads the private half of a JSON Web Key. (RFC 7518 sections 6.2.2 and 6.3.2, RFC 8037 section 2)
    init(_ members: JSONWebKeyMembers, keyType: JSONWebKey.KeyType, curve: JSONWebKey.Curve?) throws(JOSEError) {
        guard members.object["oth"] == nil else { throw .unsupportedKey("oth") }
        guard let curve else {
            self = try Self.rsa(members)
            return
        }
        let secret = try members.bytes("d", count: curve.byteCount)
        do {
            switch curve {
            case .p256: self = .p256(try P256.Signing.PrivateKey(rawRepresentation: secret))
            case .p384: self = .p384(try P384.Signing.PrivateKey(rawRepresentation: secret))
            case .p521: self = .p521(try P521.Signing.PrivateKey(rawRepresentation: secret))
            case .ed25519: self = .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: secret))
            }
        } catch {
            throw .keyFailure
        }
    }

    private static func rsa(_ members: JSONWebKeyMembers) throws(JOSEError) -> PrivateKeyMaterial {
        let (n, e, d) = (try members.integer("n"), try members.integer("e"), try members.integer("d"))
        let (p, q) = (try members.integer("p"), try members.integer("q"))
        do {
            return .rsa(try _RSA.Signing.PrivateKey(n: n, e: e, d: d, p: p, q: q))
        } catch {
            throw .keyFailure
        }
    }

    /// The members that define the public key: `kty` and its numbers.
    func publicMembers() throws(JOSEError) -> JSONObject {
        switch self {
        case .rsa(let key):
            let numbers: _RSA.Signing.PublicKey.Primitives
            do { numbers = try key.publicKey.getKeyPrimitives() } catch { throw .keyFailure }
            return [
                "kty": "RSA",
                "n": .string(Base64URL.encode(numbers.modulus)),
                "e": .string(Base64URL.encode(numbers.publicExponent)),
            ]
        case .p256(let key): return Self.members(.p256, point: Array(key.publicKey.rawRepresentation))
        case .p384(let key): return Self.members(.p384, point: Array(key.publicKey.rawRepresentation))
        case .p521(let key): return Self.members(.p521, point: Array(key.publicKey.rawRepresentation))
        case .ed25519(let key): return Self.members(.ed25519, point: Array(key.publicKey.rawRepresentation))
        }
    }

    /// The members that hold the private half.
    func privateMembers() throws(JOSEError) -> JSONObject {
        switch self {
        case .rsa(let key): return try Self.rsaPrivateMembers(pkcs1: Array(key.derRepresentation))
        case .p256(let key): return ["d": .string(Base64URL.encode(key.rawRepresentation))]
        case .p384(let key): return ["d": .string(Base64URL.encode(key.rawRepresentation))]
        case .p521(let key): return ["d": .string(Base64URL.encode(key.rawRepresentation))]
        case .ed25519(let key): return ["d": .string(Base64URL.encode(key.rawRepresentation))]
        }
    }

    private static func members(_ curve: JSONWebKey.Curve, point: [UInt8]) -> JSONObject {
        let x = Base64URL.encode(Array(point.prefix(curve.byteCount)))
        guard curve != .ed25519 else { return ["kty": "OKP", "crv": .string(curve.rawValue), "x": .string(x)] }
        let y = Base64URL.encode(Array(point.dropFirst(curve.byteCount)))
        return ["kty": "EC", "crv": .string(curve.rawValue), "x": .string(x), "y": .string(y)]
    }

    /// The library hands out an RSA private key as PKCS #1 only: version, n, e, d, p, q, dp, dq, qi.
    /// (RFC 8017 appendix A.1.2)
    private static func rsaPrivateMembers(pkcs1: [UInt8]) throws(JOSEError) -> JSONObject {
        let numbers = try DERIntegers.sequence(in: pkcs1)
        guard numbers.count == 9 else { throw .keyFailure }
        var members = JSONObject()
        for (name, number) in zip(["d", "p", "q", "dp", "dq", "qi"], numbers.dropFirst(3)) {
            members[name] = .string(Base64URL.encode(number))
        }
        return members
    }
}
