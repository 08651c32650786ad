import OstiaryJOSE
import Testing

@Suite("Examples of the RFCs and of another implementation")
struct RFCVectorTests {
    @Test(
        "The tokens of RFC 7515 appendix A.2 and A.3 are verified",
        arguments: [
            (RFCVectors.RFC7515A2.key, RFCVectors.RFC7515A2.token, SignatureAlgorithm.rs256),
            (RFCVectors.RFC7515A3.key, RFCVectors.RFC7515A3.token, SignatureAlgorithm.es256),
        ]
    )
    func rfc7515(key: String, token: String, algorithm: SignatureAlgorithm) throws {
        let verified = try UnverifiedJWT(token).verified(by: Fixtures.key(key), algorithms: [algorithm])
        #expect(verified.claims == ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true])
        #expect(verified.algorithm == algorithm)
        #expect(verified.compact == token)
    }

    @Test("The key of RFC 7515 appendix A.3 signs what its public half verifies")
    func rfc7515Signing() throws {
        let key = try SigningKey(privateJWK: Fixtures.object(RFCVectors.RFC7515A3.privateKey), algorithm: nil)
        #expect(key.algorithm == .es256)
        let token = try key.sign(claims: Fixtures.claims)
        let published = try Fixtures.key(RFCVectors.RFC7515A3.key)
        #expect(try UnverifiedJWT(token).verified(by: published, algorithms: [.es256]).claims == Fixtures.claims)
    }

    @Test("The signature of RFC 8037 appendix A.4 is made and verified")
    func rfc8037() throws {
        let key = try SigningKey(privateJWK: Fixtures.object(RFCVectors.RFC8037A.privateKey), algorithm: nil)
        let input = Array(RFCVectors.RFC8037A.signingInput.utf8)
        let signature = try Base64URL.decode(RFCVectors.RFC8037A.signature)
        #expect(key.publicKey.isValidSignature(signature, for: input, algorithm: .edDSA))
        let made = try key.signature(for: input)
        #expect(key.publicKey.isValidSignature(made, for: input, algorithm: .edDSA))
        #if !canImport(CryptoKit)
            // CryptoKit makes another signature on every call.
            #expect(made == signature)
        #endif
    }

    @Test("The thumbprints of RFC 7638 section 3.1 and RFC 8037 appendix A.3 are computed")
    func thumbprints() throws {
        #expect(try Fixtures.key(RFCVectors.RFC7638.key).thumbprint() == RFCVectors.RFC7638.thumbprint)
        let key = try SigningKey(privateJWK: Fixtures.object(RFCVectors.RFC8037A.privateKey), algorithm: .edDSA)
        #expect(key.publicKey.thumbprint() == RFCVectors.RFC8037A.thumbprint)
        #expect(key.keyID == RFCVectors.RFC8037A.thumbprint)
    }

    @Test("A token of another implementation is verified, for each algorithm", arguments: SignatureAlgorithm.allCases)
    func crossVectors(algorithm: SignatureAlgorithm) throws {
        let vector = try #require(CrossVectors.all.first { $0.algorithm == algorithm.rawValue })
        let keys = JSONWebKeySet(try CrossVectors.all.map { try Fixtures.key($0.key) })
        let verified = try UnverifiedJWT(vector.token).verified(by: keys, algorithms: [algorithm])
        #expect(verified.claims["sub"]?.string == algorithm.rawValue)
        #expect(verified.claims["name"]?.string == "Zo\u{EB}")
    }
}
