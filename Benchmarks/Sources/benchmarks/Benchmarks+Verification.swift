import JWTKit
import OstiaryJOSE
import Subjects

/// Verification of a whole token, and the way from a token response to its tokens.
extension Benchmarks {
    static func verifyTokens() async throws {
        for algorithm in [SignatureAlgorithm.rs256, .ps256, .es256, .edDSA] {
            let key = try SigningKey.generate(algorithm, keyID: "k")
            let token = try key.sign(claims: Subject.claims)
            let kit = try await kitKeys(key)
            try await Measurement.show(
                Subject.verification(of: token, by: key),
                iterations: 1000,
                beside: [("jwt-kit", { _ = try await kit.verify(token, as: Claims.self) })],
                Peer.verifying(token, by: key)
            )
        }
    }

    static func readResponses() async throws {
        for algorithm in [SignatureAlgorithm.rs256, .es256] {
            try await Measurement.show(
                Subject.tokenResponse(by: SigningKey.generate(algorithm, keyID: "k")),
                iterations: 1000
            )
        }
    }

    /// The key as jwt-kit has it.
    static func kitKeys(_ key: SigningKey) async throws -> JWTKeyCollection {
        func member(_ name: String) -> String? { key.publicKey.jsonObject[name]?.string }
        let jwk: JWK =
            switch key.algorithm {
            case .es256: .ecdsa(.es256, identifier: "k", x: member("x"), y: member("y"), curve: .p256)
            case .edDSA: .octetKeyPair(.eddsa, identifier: "k", x: member("x"), y: nil, curve: .ed25519)
            case .ps256: .rsa(.ps256, identifier: "k", modulus: member("n"), exponent: member("e"))
            default: .rsa(.rs256, identifier: "k", modulus: member("n"), exponent: member("e"))
            }
        let kit = JWTKeyCollection()
        try await kit.add(jwk: jwk)
        return kit
    }
}
