import Crypto
public import OstiaryJOSE

/// Random numbers that are the same for the same seed on every machine (SplitMix64), for documentation and tests.
///
/// Anyone can foresee them: a provider that draws from them is for one machine alone.
public struct PredictableRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins a sequence.
    ///
    /// - Parameters:
    ///   - seed: The number that decides the sequence.
    ///   - stream: The number of the sequence among those of one seed.
    public init(seed: UInt64, stream: UInt64 = 0) {
        state = seed
        // A far place of the sequence: two streams have nothing in common.
        for _ in 0...stream { state = next() ^ stream }
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The next key for an algorithm on a curve; `nil` for RSA, whose keys cannot be made of given numbers here.
    public mutating func signingKey(_ algorithm: SignatureAlgorithm) -> SigningKey? {
        guard let curve = algorithm.curve else { return nil }
        // A number beyond the order of a curve is rare, and no key: take the next one.
        for _ in 0..<8 {
            if let key = key(on: curve, for: algorithm) { return key }
        }
        return nil
    }

    private mutating func key(on curve: JSONWebKey.Curve, for algorithm: SignatureAlgorithm) -> SigningKey? {
        switch curve {
        case .p256:
            let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes(32))
            return key.flatMap { try? SigningKey(pem: $0.pemRepresentation, algorithm: algorithm) }
        case .p384:
            let key = try? P384.Signing.PrivateKey(rawRepresentation: bytes(48))
            return key.flatMap { try? SigningKey(pem: $0.pemRepresentation, algorithm: algorithm) }
        case .p521:
            var number = bytes(66)
            number[0] &= 1
            let key = try? P521.Signing.PrivateKey(rawRepresentation: number)
            return key.flatMap { try? SigningKey(pem: $0.pemRepresentation, algorithm: algorithm) }
        case .ed25519:
            let number = bytes(32)
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: number) else { return nil }
            let members: JSONObject = [
                "kty": "OKP", "crv": "Ed25519", "d": .string(Base64URL.encode(number)),
                "x": .string(Base64URL.encode(Array(key.publicKey.rawRepresentation))),
            ]
            return try? SigningKey(privateJWK: members, algorithm: algorithm)
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += withUnsafeBytes(of: next().bigEndian) { Array($0) } }
        return Array(bytes.prefix(count))
    }
}
