import OstiaryJOSE
import Testing

@Suite("Signatures")
struct SignatureTests {
    static let input = Array("header.payload".utf8)

    @Test("A signature is valid for its bytes, its key and its algorithm only", arguments: SignatureAlgorithm.allCases)
    func roundTrip(algorithm: SignatureAlgorithm) throws {
        let key = try Fixtures.signingKey(algorithm)
        let signature = try key.signature(for: Self.input)
        #expect(key.publicKey.isValidSignature(signature, for: Self.input, algorithm: algorithm))
        let larger = [1] + Self.input + [2]
        #expect(key.publicKey.isValidSignature(signature, for: larger[1..<15], algorithm: algorithm))
        #expect(!key.publicKey.isValidSignature(signature, for: larger, algorithm: algorithm))
        #expect(!key.publicKey.isValidSignature(signature, for: [], algorithm: algorithm))
        var bare = key.publicKey.jsonObject
        bare["alg"] = nil
        let anyAlgorithm = try JSONWebKey(bare)
        for other in SignatureAlgorithm.allCases {
            // EdDSA and Ed25519 name one signature (RFC 9864 section 2.2). A key with an alg allows its own name only.
            let isSame = other == algorithm || Set([other, algorithm]) == [.edDSA, .ed25519]
            #expect(anyAlgorithm.isValidSignature(signature, for: Self.input, algorithm: other) == isSame)
            #expect(
                key.publicKey.isValidSignature(signature, for: Self.input, algorithm: other) == (other == algorithm)
            )
        }
        let stranger = try SigningKey.generate(algorithm)
        #expect(!stranger.publicKey.isValidSignature(signature, for: Self.input, algorithm: algorithm))
    }

    @Test("A signature of any other length is invalid", arguments: SignatureAlgorithm.allCases)
    func lengths(algorithm: SignatureAlgorithm) throws {
        let key = try Fixtures.signingKey(algorithm)
        let signature = try key.signature(for: Self.input)
        for wrong in [
            [], [0], [0] + signature, signature + [0], Array(signature.dropFirst()), Array(signature.dropLast()),
        ] {
            #expect(!key.publicKey.isValidSignature(wrong, for: Self.input, algorithm: algorithm))
        }
        let zeros = [UInt8](repeating: 0, count: signature.count)
        #expect(!key.publicKey.isValidSignature(zeros, for: Self.input, algorithm: algorithm))
    }

    @Test("A key bound to RS256 does not verify PS256, and the other way round")
    func boundAlgorithm() throws {
        let pss = try Fixtures.signingKey(.ps256)
        var object = pss.publicKey.jsonObject
        object["alg"] = "RS256"
        let signature = try pss.signature(for: Self.input)
        #expect(try !JSONWebKey(object).isValidSignature(signature, for: Self.input, algorithm: .ps256))
        #expect(try !JSONWebKey(object).isValidSignature(signature, for: Self.input, algorithm: .rs256))
    }

    @Test("An ECDSA signature in DER is invalid")
    func der() throws {
        let key = try Fixtures.signingKey(.es256)
        let signature = try key.signature(for: Self.input)
        #expect(signature.count == 64)
        let numbers = [Array(signature.prefix(32)), Array(signature.suffix(32))]
        let body = numbers.flatMap { number -> [UInt8] in
            let padded = [0] + number
            return [0x02, UInt8(padded.count)] + padded
        }
        let der = [0x30, UInt8(body.count)] + body
        #expect(!key.publicKey.isValidSignature(der, for: Self.input, algorithm: .es256))
    }
}
