import OstiaryJOSE
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("A signing key's public key has its algorithm and key ID", arguments: SignatureAlgorithm.allCases)
    func publicKey(algorithm: SignatureAlgorithm) throws {
        let key = try Fixtures.signingKey(algorithm)
        #expect(key.publicKey.keyID == algorithm.rawValue)
        #expect(key.publicKey.algorithm == algorithm)
        #expect(key.publicKey.use == "sig")
        #expect(try JSONWebKey(key.publicKey.jsonObject) == key.publicKey)
    }

    @Test("A signing key without a key ID has its thumbprint as key ID")
    func thumbprint() throws {
        let key = try SigningKey.generate(.es256)
        #expect(key.keyID == key.publicKey.thumbprint())
        #expect(key.keyID.count == 43)
        #expect(try SigningKey.generate(.es256).keyID != key.keyID)
    }

    @Test("A signing key exported as PEM is imported unchanged", arguments: SignatureAlgorithm.allCases)
    func pem(algorithm: SignatureAlgorithm) throws {
        let key = try Fixtures.signingKey(algorithm)
        let pem = key.pemRepresentation()
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----"))
        let restored = try SigningKey(pem: pem, algorithm: algorithm, keyID: key.keyID)
        #expect(restored.publicKey == key.publicKey)
        let token = try restored.sign(claims: Fixtures.claims)
        #expect(throws: Never.self) { try UnverifiedJWT(token).verified(by: key.publicKey, algorithms: [algorithm]) }
    }

    @Test("A signing key exported as JWK is imported unchanged", arguments: SignatureAlgorithm.allCases)
    func jwk(algorithm: SignatureAlgorithm) throws {
        let key = try Fixtures.signingKey(algorithm)
        let object = try key.privateJWK()
        let restored = try SigningKey(privateJWK: object, algorithm: nil)
        #expect(restored.publicKey == key.publicKey)
        #expect(try restored.privateJWK() == object)
        let token = try restored.sign(claims: Fixtures.claims)
        #expect(throws: Never.self) { try UnverifiedJWT(token).verified(by: key.publicKey, algorithms: [algorithm]) }
    }

    @Test("Only a private JWK has private members")
    func privateMembers() throws {
        let rsa = try Fixtures.signingKey(.rs256)
        #expect(
            Set(try rsa.privateJWK().names).subtracting(rsa.publicKey.jsonObject.names) == [
                "d", "p", "q", "dp", "dq", "qi",
            ]
        )
        let ec = try Fixtures.signingKey(.es256)
        #expect(Set(try ec.privateJWK().names).subtracting(ec.publicKey.jsonObject.names) == ["d"])
    }

    @Test("PEM of a key for another algorithm is rejected")
    func otherPEM() throws {
        let pem = try Fixtures.signingKey(.es256).pemRepresentation()
        for algorithm in SignatureAlgorithm.allCases where algorithm != .es256 {
            #expect(throws: JOSEError.keyFailure) { try SigningKey(pem: pem, algorithm: algorithm) }
        }
        #expect(throws: JOSEError.keyFailure) { try SigningKey(pem: "", algorithm: .es256) }
    }

    @Test("A private JWK with a wrong algorithm, public key or private key is rejected")
    func wrongJWK() throws {
        let object = try Fixtures.signingKey(.es256).privateJWK()
        func read(_ changes: [(String, JSONValue?)], _ algorithm: SignatureAlgorithm? = nil) throws -> SigningKey {
            var changed = object
            for (name, value) in changes { changed[name] = value }
            return try SigningKey(privateJWK: changed, algorithm: algorithm)
        }
        let mismatch = JOSEError.malformed("alg does not fit the key")
        let other = try Fixtures.signingKey(.es384)
        let stranger = try SigningKey.generate(.es256).publicKey.jsonObject
        #expect(throws: mismatch) { try read([], .es384) }
        #expect(throws: mismatch) { try read([("alg", "RS256")]) }
        #expect(throws: mismatch) {
            try SigningKey(privateJWK: Fixtures.signingKey(.rs256).privateJWK(), algorithm: .ps256)
        }
        #expect(throws: JOSEError.malformed("d")) { try read([("d", nil)]) }
        #expect(throws: JOSEError.malformed("d")) { try read([("d", "AQAB")]) }
        #expect(throws: JOSEError.malformed("public and private key differ")) {
            try read([("x", stranger["x"]), ("y", stranger["y"])])
        }
        #expect(throws: JOSEError.malformed("public and private key differ")) { try read([("y", nil)]) }
        #expect(throws: JOSEError.keyFailure) {
            try read([("d", .string(Base64URL.encode([UInt8](repeating: 0, count: 32))))])
        }
        #expect(throws: JOSEError.symmetricKey) {
            try SigningKey(privateJWK: ["kty": "oct", "k": "AQAB"], algorithm: .es256)
        }
        #expect(try read([("alg", nil)]).algorithm == .es256)
        #expect(try read([("kid", nil)]).keyID == Fixtures.signingKey(.es256).publicKey.thumbprint())
        #expect(other.algorithm == .es384)
    }

    @Test("An RSA private JWK without alg needs an algorithm, and one with further primes is rejected")
    func rsaJWK() throws {
        var object = try Fixtures.signingKey(.rs256).privateJWK()
        object["alg"] = nil
        #expect(throws: JOSEError.malformed("alg")) { try SigningKey(privateJWK: object, algorithm: nil) }
        #expect(try SigningKey(privateJWK: object, algorithm: .ps384).algorithm == .ps384)
        object["oth"] = []
        #expect(throws: JOSEError.unsupportedKey("oth")) { try SigningKey(privateJWK: object, algorithm: .ps384) }
    }

    @Test("A signed token's header has alg, kid and typ, then the caller's members")
    func header() throws {
        let key = try Fixtures.signingKey(.es256)
        func names(_ token: String) throws -> [String] { try UnverifiedJWT(token).header.parameters.names }
        let token = try key.sign(claims: Fixtures.claims, type: "at+jwt", extraHeader: ["x": 1])
        #expect(try names(token) == ["alg", "kid", "typ", "x"])
        let header = try UnverifiedJWT(token).header
        #expect(header.algorithmName == "ES256")
        #expect(header.keyID == "ES256")
        #expect(header.type == "at+jwt")
        #expect(try names(key.sign(claims: [:], type: nil)) == ["alg", "kid"])
        let proof = try key.sign(claims: [:], type: "dpop+jwt", extraHeader: ["jwk": .object(key.publicKey.jsonObject)])
        #expect(try names(proof) == ["alg", "typ", "jwk"])
    }

    @Test(
        "Header members that the key sets cannot be replaced",
        arguments: ["alg", "kid", "typ", "crit", "b64"]
    )
    func reservedHeader(name: String) throws {
        var extra = JSONObject()
        extra[name] = "x"
        let key = try Fixtures.signingKey(.es256)
        #expect(throws: JOSEError.malformed("extraHeader")) { try key.sign(claims: [:], extraHeader: extra) }
    }
}
